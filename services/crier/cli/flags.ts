import { parseArgs } from 'node:util';
import { nearestOf } from '#clients/csv/nearest.ts';
import { ConfigError } from '#config/config.ts';
import type { Setting } from '#config/setting.ts';
import { SETTINGS, type SettingName } from '#config/settings.ts';

export interface Flags {
  /** Settings given as flags: `--data-dir=x` is CRIER_DATA_DIR=x. */
  readonly settings: Partial<Record<SettingName, string>>;
  readonly words: readonly string[];
  readonly json: boolean;
  readonly dryRun: boolean;
  /** Of `migrate`: only the statements, for who runs them by hand. */
  readonly printCql: boolean;
  /** Of `doctor`: beside the process that runs here. */
  readonly inPod: boolean;
  /** Of `backup`: the file to write; whether files are in it. */
  readonly to: string | null;
  /** Of `backup` and `migrate`: only check. */
  readonly verify: boolean;
  readonly withFiles: boolean;
  /** Of `restore` and `backup --verify`: the backup. */
  readonly from: string | null;
  /** Of `support-bundle`: the file to write, and one that holds the end of the server's log. */
  readonly out: string | null;
  readonly log: string | null;
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

/** Flags that take no value; also `help`, which has a short form. */
const SWITCHES = ['json', 'dry-run', 'print-cql', 'in-pod', 'verify', 'with-files'] as const;

/** Flags that name a file. */
const PATHS = ['to', 'from', 'out', 'log'] as const;

/** Of each verb, the flags that are no settings and that it goes by, beside `json` and `help`. */
const OWN_FLAGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['migrate', ['dry-run', 'print-cql', 'verify']],
  ['doctor', ['in-pod']],
  ['backup', ['to', 'from', 'verify', 'with-files']],
  ['restore', ['from']],
  ['support-bundle', ['out', 'log']],
]);

/** Throws ConfigError for an unknown flag, one of another verb, and a secret given as a flag. */
export function parseFlags(args: readonly string[]): Flags {
  for (const arg of args) refuseSecret(arg);
  const strings: Record<string, { type: 'string' }> = Object.fromEntries(
    [...FLAG_OF.keys()].map((flag) => [flag, { type: 'string' }]),
  );
  const switches: Record<string, { type: 'boolean' }> = Object.fromEntries(
    SWITCHES.map((flag) => [flag, { type: 'boolean' }]),
  );
  let given: { readonly values: Record<string, unknown>; readonly positionals: string[] };
  try {
    given = parseArgs({
      args: args.flatMap(withOwnValue),
      options: {
        ...strings,
        ...switches,
        ...Object.fromEntries(PATHS.map((flag) => [flag, { type: 'string' as const }])),
        help: { type: 'boolean', short: 'h' },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new ConfigError(wordsOf(error as NodeJS.ErrnoException));
  }
  const { values, positionals } = given;
  refuseOthers(positionals[0], values);
  refuseEmpty(values);
  const settings = Object.fromEntries(
    [...FLAG_OF].flatMap(([flag, name]) => (typeof values[flag] === 'string' ? [[name, values[flag]]] : [])),
  );
  return {
    settings: settings as Flags['settings'],
    words: positionals,
    json: values.json === true,
    dryRun: values['dry-run'] === true,
    printCql: values['print-cql'] === true,
    inPod: values['in-pod'] === true,
    to: textOf(values['to']),
    from: textOf(values['from']),
    verify: values['verify'] === true,
    withFiles: values['with-files'] === true,
    out: textOf(values['out']),
    log: textOf(values['log']),
    help: values.help === true,
  };
}

/** Without its flag a verb would do more than was asked for: a restore knows no dry run, and would restore. */
function refuseOthers(verb: string | undefined, values: Readonly<Record<string, unknown>>): void {
  if (verb === undefined) return;
  const own = ['json', ...(OWN_FLAGS.get(verb) ?? [])];
  const other = [...SWITCHES, ...PATHS].find((flag) => values[flag] !== undefined && !own.includes(flag));
  if (other !== undefined) throw new ConfigError(`crier ${verb} takes no --${other}. See crier --help`);
}

/** As `--to=$FILE` becomes where FILE is not set: without its path a verb does something else. */
function refuseEmpty(values: Readonly<Record<string, unknown>>): void {
  const empty = PATHS.find((flag) => typeof values[flag] === 'string' && values[flag].trim() === '');
  if (empty !== undefined) throw new ConfigError(`--${empty} needs a value: write it as in --${empty}=VALUE`);
}

/** What is wrong with a flag, in place of Node's words, which speak of an option's place on the line. */
function wordsOf({ code, message }: NodeJS.ErrnoException): string {
  const flag = /'(--?[^'\s=]+)/.exec(message)?.[1] ?? '';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `${unknownFlag(flag)} See crier --help`;
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE')
    return message.includes('does not take')
      ? `${flag} takes no value: write it alone`
      : `${flag} needs a value: write it as in ${flag}=VALUE`;
  return message.split('\n')[0]!;
}

function unknownFlag(flag: string): string {
  const nearest = nearestOf(flag.replace(/^-+/, ''), [...FLAG_OF.keys(), ...SWITCHES]);
  return `there is no flag ${flag}.${nearest === null ? '' : ` Did you mean --${nearest}?`}`;
}

/** `--verify` may name what is verified. */
function withOwnValue(arg: string): readonly string[] {
  return arg.startsWith('--verify=') ? ['--verify', `--from=${arg.slice('--verify='.length)}`] : [arg];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
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
