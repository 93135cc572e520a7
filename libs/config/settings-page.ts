import type { Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';

const HEAD = `# Settings

Every setting is an environment variable, and a flag of \`crier\` of the same name: CRIER_DATA_DIR is \`--data-dir\`. A flag wins
over the variable. Secrets are no flags, because the list of processes would show them to every user of the machine. A wrong or unknown
setting stops the start with a line that names it and the fix.

This page is written by \`npm run docs\` from \`libs/config/settings.ts\`.

| Setting | Default | Takes | Meaning |
|---|---|---|---|
`;

/** docs/settings.md, from the table that config and --help are made from. */
export function settingsPage(): string {
  return HEAD + Object.values(SETTINGS).map(row).join('');
}

function row(setting: Setting): string {
  const fallback = setting.fallback === null || setting.fallback === '' ? '' : `\`${setting.fallback}\``;
  return `| ${setting.variable} | ${fallback} | ${takes(setting)}${setting.secret === true ? ', secret' : ''} | ${setting.doc} |\n`;
}

function takes(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
      return `${setting.minimum} to ${setting.maximum}`;
    case 'boolean':
      return '`true` or `false`';
    case 'list':
      return 'a list, with commas';
    case 'choice':
      return setting.choices!.map((choice) => `\`${choice}\``).join(', ');
    case 'url':
      return 'an http or https address';
    case 'text':
      return 'text';
  }
}
