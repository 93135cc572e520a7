import { parseArgs } from 'node:util';
import { ConfigError } from '#config/config.ts';
import type { Setting } from '#config/setting.ts';
import { SETTINGS, type SettingName } from '#config/settings.ts';

export interface Flags {
  /** Settings given as flags: `--data-dir=x` is CRIER_DATA_DIR=x. */
  readonly settings: Partial<Record<SettingName, string>>;
  readonly words: readonly string[];
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly help: boolean;
}

const ALL = Object.entries(SETTINGS) as readonly (readonly [SettingName, Setting])[];
const FLAG_OF = new Map(
  ALL.filter(([, setting]) => setting.secret !== true).map(([name, setting]) => [flagOf(setting.variable), name]),
);
/** By flag: the variables of secrets. As flags, every user of the machine could read them in the list of processes. */
const SECRET_FLAGS = new Map(
  ALL.filter(([, setting]) => setting.secret === true).map(([, { variable }]) => [flagOf(variable), variable]),
);

/** Throws ConfigError for an unknown flag, and for a secret given as a flag. */
export function parseFlags(args: readonly string[]): Flags {
  for (const arg of args) refuseSecret(arg);
  const strings: Record<string, { type: 'string' }> = Object.fromEntries(
    [...FLAG_OF.keys()].map((flag) => [flag, { type: 'string' }]),
  );
  try {
    const { values, positionals }: { values: Record<string, unknown>; positionals: string[] } = parseArgs({
      args: [...args],
      options: {
        ...strings,
        json: { type: 'boolean' },
        'dry-run': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
      allowPositionals: true,
    });
    const settings = Object.fromEntries(
      [...FLAG_OF].flatMap(([flag, name]) => (typeof values[flag] === 'string' ? [[name, values[flag]]] : [])),
    );
    return {
      settings: settings as Flags['settings'],
      words: positionals,
      json: values.json === true,
      dryRun: values['dry-run'] === true,
      help: values.help === true,
    };
  } catch (error) {
    throw new ConfigError((error as Error).message.split('\n')[0]!);
  }
}

function refuseSecret(arg: string): void {
  const flag = /^--([^=]+)/.exec(arg)?.[1] ?? '';
  const variable = SECRET_FLAGS.get(flag);
  if (variable !== undefined)
    throw new ConfigError(`--${flag} would show in the list of processes: set ${variable} in the environment instead`);
}

/** The flag of a setting, without dashes. */
export function flagOf(variable: string): string {
  return variable.slice('CRIER_'.length).toLowerCase().replaceAll('_', '-');
}
