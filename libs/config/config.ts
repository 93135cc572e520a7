import { isIP } from 'node:net';
import { NETWORKS } from '#domain/network.ts';
import type { Setting } from './setting.ts';
import { ROLES, SETTINGS, type Role, type SettingName } from './settings.ts';

type Value<S> = S extends { kind: 'integer' }
  ? number
  : S extends { kind: 'boolean'; fallback: string }
    ? boolean
    : S extends { kind: 'boolean' }
      ? boolean | null
      : S extends { kind: 'list' }
        ? readonly string[]
        : S extends { kind: 'choice'; choices: readonly (infer C)[] }
          ? C
          : S extends { fallback: null }
            ? string | null
            : string;

type Raw = { readonly [N in SettingName]: Value<(typeof SETTINGS)[N]> };

/** Settings as they hold for this process: every value checked, roles resolved. */
export type Config = Omit<Raw, 'roles'> & { readonly roles: readonly Role[] };

/** A wrong setting: one line that names it and the fix. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The only reader of `process.env`. */
export function environment(): Environment {
  return process.env;
}

/** `overrides` (the command line's) win over `env`. Throws ConfigError. */
export function readConfig(env: Environment, overrides: Partial<Record<SettingName, string>> = {}): Config {
  refuseUnknown(env);
  const entries = Object.entries(SETTINGS).map(([name, setting]) => [
    name,
    parse(setting, overrides[name as SettingName] ?? env[setting.variable]),
  ]);
  const raw = Object.fromEntries(entries) as Raw;
  const config: Config = { ...raw, roles: rolesOf(raw.roles) };
  checkTogether(config);
  return config;
}

function parse(setting: Setting, given: string | undefined): unknown {
  const written = given?.trim() ?? '';
  // An empty value counts as not set: `X=${Y}` without a Y must not become an empty folder, host or secret.
  const value = written === '' ? setting.fallback : written;
  switch (setting.kind) {
    case 'integer':
      return integerOf(setting, value);
    case 'boolean':
      if (value === null) return null;
      if (value === 'true' || value === '1') return true;
      if (value === 'false' || value === '0') return false;
      throw new ConfigError(`${setting.variable} is "${value}": it must be true or false`);
    case 'list':
      return value === null
        ? []
        : value
            .split(',')
            .map((part) => part.trim())
            .filter((part) => part !== '');
    case 'choice':
      if (!setting.choices!.includes(value!))
        throw new ConfigError(`${setting.variable} is "${value}": it must be one of ${setting.choices!.join(', ')}`);
      return value;
    case 'url':
      return value === null ? null : urlOf(setting, value);
    case 'text':
      return value;
  }
}

function integerOf(setting: Setting, value: string | null): number {
  const number = Number(value);
  const { minimum, maximum } = setting;
  if (value === null || !/^\d{1,15}$/.test(value) || number < minimum! || number > maximum!) {
    throw new ConfigError(`${setting.variable} is "${value}": it must be a whole number from ${minimum} to ${maximum}`);
  }
  return number;
}

function urlOf(setting: Setting, value: string): string {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value))
    throw new ConfigError(`${setting.variable} is "${value}": it must be an http or https address`);
  return value.replace(/\/+$/, '');
}

function rolesOf(names: readonly string[]): readonly Role[] {
  const unknown = names.find((name) => name !== 'all' && !(ROLES as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`CRIER_ROLES has "${unknown}": use all, or some of ${ROLES.join(', ')}`);
  if (names.length === 0) throw new ConfigError(`CRIER_ROLES is empty: use all, or some of ${ROLES.join(', ')}`);
  if (names.includes('all')) return ROLES;
  return ROLES.filter((role) => names.includes(role));
}

const KNOWN = new Set<string>(Object.values(SETTINGS).map((setting) => setting.variable));

/** Without this, a misspelt setting would silently keep its default. Variables of the tests are not settings. */
function refuseUnknown(env: Environment): void {
  const unknown = Object.keys(env).find(
    (name) =>
      name.startsWith('CRIER_') &&
      !name.startsWith('CRIER_TEST_') &&
      name !== 'CRIER_REQUIRE_CLUSTER' &&
      !KNOWN.has(name),
  );
  if (unknown !== undefined) throw new ConfigError(`${unknown} is no setting of Crier: see crier start --help`);
}

/** Of secrets, so that none can be guessed: sealing keys are derived from the master secret. */
const MIN_CHARACTERS = { adminToken: 16, secret: 32, previousSecrets: 32 } as const;
/**
 * An attacker tries one letter or word first, repeated until it is long enough. Of random secrets fewer than one in ten
 * million has so few different characters.
 */
const MIN_DIFFERENT = 8;

function checkTogether(config: Config): void {
  if (config.engine === 'cluster') {
    const required: SettingName[] = ['adminToken', 'secret', 'kafkaBrokers', 'cassandraContactPoints'];
    const missing = required.find(
      (name) => config[name as 'secret'] === null || config[name as 'kafkaBrokers']?.length === 0,
    );
    if (missing !== undefined)
      throw new ConfigError(`${SETTINGS[missing].variable} is missing: CRIER_ENGINE=cluster needs it`);
  } else if (config.roles.length !== ROLES.length) {
    throw new ConfigError('CRIER_ROLES must be all with CRIER_ENGINE=embedded: its data folder belongs to one process');
  }
  if (config.engine === 'embedded' && config.s3Bucket !== '')
    throw new ConfigError('CRIER_S3_BUCKET needs CRIER_ENGINE=cluster: embedded keeps files in CRIER_DATA_DIR');
  if ((config.tlsCert === null) !== (config.tlsKey === null))
    throw new ConfigError('CRIER_TLS_CERT and CRIER_TLS_KEY go together: set both or none');
  checkSecrets(config);
  const proxy = config.trustedProxies.find((one) => !isRange(one));
  if (proxy !== undefined)
    throw new ConfigError(
      `CRIER_TRUSTED_PROXIES has "${proxy}": use addresses or ranges such as 10.0.0.0/8, or loopback, linklocal, uniquelocal`,
    );
  if (config.networks === 'live') {
    // An override leads past the guard against private addresses, into the operator's own network.
    if (config.egressOverrides.length > 0)
      throw new ConfigError('CRIER_EGRESS_OVERRIDES needs CRIER_NETWORKS=sandbox: leave it out');
    if (config.demo === true) throw new ConfigError('CRIER_DEMO needs CRIER_NETWORKS=sandbox');
    if (NETWORKS.every((network) => config[`${network}ClientId`] === ''))
      throw new ConfigError(
        'CRIER_NETWORKS=live needs the app credentials of a Network, e.g. CRIER_X_CLIENT_ID and CRIER_X_CLIENT_SECRET',
      );
  }
  checkFormats(config);
  checkPairs(config);
}

/** Previous secrets only open what they sealed, so a weak one is accepted while an installation replaces it. */
function checkSecrets(config: Config): void {
  for (const [name, minimum] of Object.entries(MIN_CHARACTERS) as [keyof typeof MIN_CHARACTERS, number][]) {
    const values = [config[name] ?? []].flat();
    const isShort = values.some((value) => value.length < minimum);
    const isWeak = name !== 'previousSecrets' && values.some((value) => new Set(value).size < MIN_DIFFERENT);
    if (isShort || isWeak)
      throw new ConfigError(
        `${SETTINGS[name].variable} is too ${isShort ? 'short' : 'easy to guess'}: use at least ${minimum} characters, ${MIN_DIFFERENT} of them different`,
      );
  }
}

const HOST = String.raw`(?:\[[\da-fA-F:.]+\]|[^\s:/\[\]]+)`;
const FORMATS = [
  ['kafkaBrokers', new RegExp(`^${HOST}:\\d{1,5}$`), 'use host:port'],
  ['cassandraContactPoints', new RegExp(`^${HOST}(?::\\d{1,5})?$`), 'use host or host:port'],
  ['cassandraKeyspace', /^[a-zA-Z]\w{0,47}$/, 'use at most 48 letters, digits and underscores, a letter first'],
  ['kafkaTopicPrefix', /^[\w.-]{0,100}$/, 'use at most 100 letters, digits, dots, dashes and underscores'],
  ['egressOverrides', new RegExp(`^[\\w-]+(?:\\.[\\w-]+)*=${HOST}:\\d{1,5}$`), 'use name=host:port'],
  ['s3Bucket', /^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])?$/, 'use 3 to 63 lower-case letters, digits, dots and dashes'],
  ['graphVersion', /^v\d{1,3}\.\d$/, 'use a version such as v25.0'],
] as const;

/** Formats that an engine would refuse later, without naming the setting. */
function checkFormats(config: Config): void {
  for (const [name, format, fix] of FORMATS) {
    const wrong = [config[name]].flat().find((value) => !format.test(value));
    if (wrong !== undefined) throw new ConfigError(`${SETTINGS[name].variable} has "${wrong}": ${fix}`);
  }
}

/** A user name or id needs its password or secret, and the other way round. */
function checkPairs(config: Config): void {
  const pairs: readonly (readonly [SettingName, SettingName])[] = [
    ['kafkaUsername', 'kafkaPassword'],
    ['cassandraUsername', 'cassandraPassword'],
    ['s3AccessKeyId', 's3SecretAccessKey'],
    ...NETWORKS.map((network) => [`${network}ClientId`, `${network}ClientSecret`] as const),
  ];
  const lone = pairs.find(([name, secret]) => (config[name] === '') !== (config[secret] === null));
  if (lone !== undefined)
    throw new ConfigError(
      `${SETTINGS[lone[0]].variable} and ${SETTINGS[lone[1]].variable} go together: set both or none`,
    );
  if ((config.kafkaSaslMechanism === 'none') !== (config.kafkaUsername === '')) {
    throw new ConfigError('CRIER_KAFKA_SASL_MECHANISM and CRIER_KAFKA_USERNAME go together: set both or none');
  }
}

/** An address, an address with a prefix length, or a range that has a name. */
function isRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  return (
    family !== 0 &&
    more.length === 0 &&
    (length === undefined ||
      (/^\d{1,3}$/.test(length) && Number(length) > 0 && Number(length) <= (family === 4 ? 32 : 128)))
  );
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
