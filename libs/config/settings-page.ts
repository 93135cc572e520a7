import type { Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';
import { TRACING_VARIABLES } from './tracing.ts';

const HEAD = `# Settings

Every setting is an environment variable, and a flag of \`crier\` of the same name: CRIER_DATA_DIR is \`--data-dir\`. A flag wins
over the variable. Secrets are no flags, because the list of processes would show them to every user of the machine; each may stand in a
file instead, which the variable with \`_FILE\` behind its name names (CRIER_SECRET_FILE=/run/secrets/crier). A list of secrets one of which
has a comma or a line break in it is written in JSON, as in \`["ONE","OTHER"]\`. Wrong and unknown settings stop
the start, each with a line that names it and the fix. A variable that Kubernetes made for a Service named \`crier\` is passed over with a
warning, and where it falls on a setting (CRIER_PORT=tcp://...) it stops the start and is reported as what it is.

This page is written by \`npm run docs\` from \`libs/config/settings.ts\`.

| Setting | Default | Takes | Meaning |
|---|---|---|---|
`;

const TRACES = `
## Traces

Traces are kept by OpenTelemetry, and set up by its own variables, which are no flags of \`crier\`. They are off until the address of a
collector is set; its modules are not loaded before. What is wrong with them is reported as a warning at the start and stops nothing. A trace
holds ids and words of closed lists: no text, no address and no token of a tenant.

| Variable | Default | Meaning |
|---|---|---|
`;

/** docs/settings.md, from the table that config and --help are made from. */
export function settingsPage(): string {
  return HEAD + Object.values(SETTINGS).map(row).join('') + TRACES + TRACING_VARIABLES.map(tracingRow).join('');
}

function tracingRow({ variable, fallback, doc }: (typeof TRACING_VARIABLES)[number]): string {
  return `| ${variable} | ${fallback === '' ? '' : `\`${fallback}\``} | ${doc} |\n`;
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
      return setting.secret === true ? 'a list, with commas or in JSON' : 'a list, with commas';
    case 'choice':
      return setting.choices!.map((choice) => `\`${choice}\``).join(', ');
    case 'url':
      return 'an http or https address';
    case 'text':
      return 'text';
  }
}
