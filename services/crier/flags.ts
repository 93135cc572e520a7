import { parseArgs } from 'node:util';
import { ConfigError } from '#runtime/config.ts';
import { SETTINGS, type SettingName } from '#runtime/settings.ts';

export interface Flags {
  /** Settings given as flags: `--data-dir=x` is CRIER_DATA_DIR=x. */
  readonly settings: Partial<Record<SettingName, string>>;
  readonly words: readonly string[];
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly help: boolean;
}

const FLAG_OF = new Map(Object.entries(SETTINGS).map(([name, setting]) => [setting.variable.slice('CRIER_'.length).toLowerCase().replaceAll('_', '-'), name as SettingName]));

/** Throws ConfigError for a flag there is not. */
export function parseFlags(args: readonly string[]): Flags {
  const strings: Record<string, { type: 'string' }> = Object.fromEntries([...FLAG_OF.keys()].map((flag) => [flag, { type: 'string' }]));
  try {
    const { values, positionals }: { values: Record<string, unknown>; positionals: string[] } = parseArgs({
      args: [...args],
      options: { ...strings, json: { type: 'boolean' }, 'dry-run': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    const settings = Object.fromEntries([...FLAG_OF].flatMap(([flag, name]) => (typeof values[flag] === 'string' ? [[name, values[flag]]] : [])));
    return { settings: settings as Flags['settings'], words: positionals, json: values.json === true, dryRun: values['dry-run'] === true, help: values.help === true };
  } catch (error) {
    throw new ConfigError((error as Error).message.split('\n')[0]!);
  }
}

/** The flag of a setting, without dashes. */
export function flagOf(variable: string): string {
  return variable.slice('CRIER_'.length).toLowerCase().replaceAll('_', '-');
}
