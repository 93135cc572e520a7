import { problemsOf } from './checks.ts';
import { fileVariableOf, readSecretFile } from './secret-files.ts';
import { isNameOfServiceLink, isServiceLink } from './service-links.ts';
import type { Setting } from './setting.ts';
import { ROLES, SETTINGS, type SettingName } from './settings.ts';
import { ConfigError, listOf, publishPartsOf, rolesOf, valueOf, type Config, type SettingValues } from './values.ts';

export { ConfigError, type Config } from './values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The only reader of `process.env`. */
export function environment(): Environment {
  return process.env;
}

/**
 * What a command goes by: `process`, all settings; `engines`, those of Kafka, Cassandra and the schema registry;
 * `tables`, those of Cassandra. Of the others the defaults hold, whatever is written.
 */
export type SettingsRead = 'process' | 'engines' | 'tables';

const NAMES_READ: Readonly<Record<SettingsRead, RegExp>> = {
  process: /^/,
  engines: /^(?:engine$|kafka|cassandra|schemaRegistry)/,
  tables: /^(?:engine$|cassandra)/,
};

/**
 * `overrides` (the command line's) win over `env`. Throws ConfigError with everything that is wrong: who mends one line
 * at a time would start a process once for each.
 */
export function readConfig(
  env: Environment,
  overrides: Partial<Record<SettingName, string>> = {},
  read: SettingsRead = 'process',
): Config {
  const problems = unknownSettings(env);
  const isRead = (name: SettingName): boolean => NAMES_READ[read].test(name);
  const values = Object.fromEntries(
    (Object.entries(SETTINGS) as readonly (readonly [SettingName, Setting])[]).map(([name, setting]) => {
      const written = (): string | undefined => (isSet(overrides[name]) ? overrides[name] : writtenOf(setting, env));
      const given = (): unknown => valueOf(setting, isRead(name) ? written() : undefined);
      return [name, collect(problems, given, () => valueOf(setting, undefined))];
    }),
  ) as unknown as SettingValues;
  const config: Config = {
    ...values,
    roles: collect(
      problems,
      () => rolesOf(values.roles),
      () => ROLES,
    ),
    publishNetworks: collect(
      problems,
      () => publishPartsOf(values.publishNetworks),
      () => publishPartsOf(['all']),
    ),
    signUp: values.signUp ?? (values.networks === 'sandbox' ? 'open' : 'invited'),
    billing: values.billing ?? (values.networks === 'sandbox' ? 'self-service' : 'operator'),
  };
  // What hangs on a setting that is wrong by itself would be told of the default, which nobody chose.
  const wrong = problems.map((line) => /^CRIER_\w+/.exec(line)?.[0] ?? line);
  const together = problemsOf(config, isRead).filter(
    (line) => !wrong.some((variable) => line.split(/\W/).includes(variable)),
  );
  const all = [...problems, ...together];
  if (all.length > 0) throw new ConfigError(...all);
  return config;
}

/** An empty value counts as not set. */
const isSet = (value: string | undefined): boolean => (value?.trim() ?? '') !== '';

/** What `read` gives; when it throws ConfigError, its lines join `problems`, and `otherwise` stands for it. */
function collect<V>(problems: string[], read: () => V, otherwise: () => V): V {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return otherwise();
  }
}

/** What the environment says of `setting`: the variable itself, or of a secret the file that another variable names. */
function writtenOf({ variable, secret }: Setting, env: Environment): string | undefined {
  const written = env[variable];
  if (written !== undefined && isServiceLink(variable, written))
    throw new ConfigError(
      `${variable} is "${written}", which Kubernetes put there for a Service named crier: set enableServiceLinks: false in the pod's spec`,
    );
  const path = secret === true ? (env[fileVariableOf(variable)]?.trim() ?? '') : '';
  if (path === '') return written;
  if ((written?.trim() ?? '') !== '')
    throw new ConfigError(`${variable} and ${fileVariableOf(variable)} are both set: set one of them`);
  return readSecretFile(fileVariableOf(variable), path);
}

const KNOWN = new Set<string>(
  Object.values(SETTINGS).flatMap(({ variable, ...setting }: Setting) =>
    setting.secret === true ? [variable, fileVariableOf(variable)] : [variable],
  ),
);

/** Of the tests, and of the command line of users, which share an environment with the server at times. */
const OF_OTHERS = new Set(['CRIER_REQUIRE_CLUSTER', 'CRIER_URL', 'CRIER_KEY']);

/** Variables that look like settings and are none. */
const strangersOf = (env: Environment): readonly string[] =>
  Object.keys(env).filter(
    (name) => name.startsWith('CRIER_') && !name.startsWith('CRIER_TEST_') && !OF_OTHERS.has(name) && !KNOWN.has(name),
  );

/** Without this, a misspelt setting would silently keep its default. */
const unknownSettings = (env: Environment): string[] =>
  strangersOf(env)
    .filter((name) => !isNameOfServiceLink(name))
    .map((name) => `${name} is no setting of Crier: see crier start --help`);

/** Variables that Kubernetes made for a Service, and that Crier passes over. */
export const serviceLinksIn = (env: Environment): readonly string[] => strangersOf(env).filter(isNameOfServiceLink);

/**
 * Of each setting where it was set, and to what; of a secret only that it was. Never throws: what is wrong is shown as
 * it was written.
 */
export function settingsAsSet(
  env: Environment,
  overrides: Partial<Record<SettingName, string>> = {},
): readonly { readonly variable: string; readonly from: string; readonly value: string | null }[] {
  return (Object.entries(SETTINGS) as readonly (readonly [SettingName, Setting])[]).map(([name, setting]) => {
    const { variable, secret, fallback } = setting;
    const from = isSet(overrides[name])
      ? 'flag'
      : isSet(env[variable])
        ? 'variable'
        : secret === true && isSet(env[fileVariableOf(variable)])
          ? 'file'
          : 'default';
    const written = from === 'default' ? fallback : ((from === 'flag' ? overrides[name] : env[variable]) ?? null);
    return { variable, from, value: secret === true ? (from === 'default' ? null : '(set)') : written };
  });
}

/** The values of all secrets that are set, whether they are right or not, and the parts of lists. Never throws. */
export function readSecretSettings(env: Environment): readonly string[] {
  return Object.values(SETTINGS).flatMap((setting: Setting) => {
    if (setting.secret !== true) return [];
    const written = env[setting.variable]?.trim() ?? '';
    const path = env[fileVariableOf(setting.variable)]?.trim() ?? '';
    const values = [written, path === '' ? '' : textAt(path)].filter((value) => value !== '');
    return setting.kind === 'list' ? values.flatMap((value) => [value, ...listOf(setting, value)]) : values;
  });
}

function textAt(path: string): string {
  try {
    return readSecretFile('', path);
  } catch {
    return '';
  }
}

/** The table of `crier start --help` and docs/settings.md. */
export function describeSettings(): readonly {
  readonly variable: string;
  readonly fallback: string;
  readonly doc: string;
  readonly secret: boolean;
}[] {
  return Object.values(SETTINGS).map((setting: Setting) => ({
    variable: setting.variable,
    fallback: setting.fallback ?? '',
    doc: setting.doc,
    secret: setting.secret === true,
  }));
}
