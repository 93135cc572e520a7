import { NETWORKS, type Network } from '#domain/network.ts';
import type { Setting } from './setting.ts';
import { ROLES, type Role, type SETTINGS, type SettingName } from './settings.ts';

type Value<S> = S extends { kind: 'integer'; fallback: infer F }
  ? number | Extract<F, null>
  : S extends { kind: 'boolean'; fallback: string }
    ? boolean
    : S extends { kind: 'boolean' }
      ? boolean | null
      : S extends { kind: 'list' }
        ? readonly string[]
        : S extends { kind: 'choice'; choices: readonly (infer C)[]; fallback: infer F }
          ? C | Extract<F, null>
          : S extends { fallback: null }
            ? string | null
            : string;

/** What the publisher role does beside publishing. */
const BESIDE_NETWORKS = ['figures', 'upkeep'] as const;
export type PublishPart = Network | (typeof BESIDE_NETWORKS)[number];

/** Every setting's value by itself. */
export type SettingValues = { readonly [N in SettingName]: Value<(typeof SETTINGS)[N]> };

/** Settings as they hold for this process: every value checked, roles and defaults that hang on others resolved. */
export type Config = Omit<SettingValues, 'roles' | 'publishNetworks' | 'signUp' | 'billing'> & {
  readonly roles: readonly Role[];
  readonly publishNetworks: readonly PublishPart[];
  readonly signUp: NonNullable<SettingValues['signUp']>;
  readonly billing: NonNullable<SettingValues['billing']>;
};

/** One or more wrong settings, or wrong words on the command line: a line each, which names it and the fix. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(...problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** The value of `setting` as it was written; the default when nothing was. Throws ConfigError. */
export function valueOf(setting: Setting, given: string | undefined): unknown {
  const written = given?.trim() ?? '';
  // An empty value counts as not set: `X=${Y}` without a Y must not become an empty folder, host or secret.
  const value = written === '' ? setting.fallback : written;
  switch (setting.kind) {
    case 'integer':
      return value === null ? null : integerOf(setting, value);
    case 'boolean':
      if (value === null) return null;
      if (value === 'true' || value === '1') return true;
      if (value === 'false' || value === '0') return false;
      throw new ConfigError(`${setting.variable} is "${value}": it must be true or false`);
    case 'list':
      return listOf(setting, value ?? '');
    case 'choice':
      if (value === null) return null;
      if (!setting.choices!.includes(value))
        throw new ConfigError(`${setting.variable} is "${value}": it must be one of ${setting.choices!.join(', ')}`);
      return value;
    case 'url':
      return value === null ? null : urlOf(setting, value);
    case 'text':
      return value;
  }
}

/**
 * The parts of a list as it is written: with commas, or in a file with a part to a line. A list of secrets may be
 * written in JSON, too, which takes secrets with commas or line breaks in them.
 */
export function listOf({ secret }: Pick<Setting, 'secret'>, value: string): readonly string[] {
  const texts = secret === true ? textsOf(value) : null;
  return (texts ?? value.split(/[,\n]/).map((part) => part.trim())).filter((part) => part !== '');
}

/** Null: the value is no list of texts in JSON. */
function textsOf(value: string): readonly string[] | null {
  if (!value.startsWith('[')) return null;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) && list.every((part) => typeof part === 'string') ? list : null;
  } catch {
    return null;
  }
}

function integerOf(setting: Setting, value: string): number {
  const number = Number(value);
  const { minimum, maximum } = setting;
  if (!/^\d{1,15}$/.test(value) || number < minimum! || number > maximum!) {
    throw new ConfigError(`${setting.variable} is "${value}": it must be a whole number from ${minimum} to ${maximum}`);
  }
  return number;
}

function urlOf(setting: Setting, value: string): string {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value))
    throw new ConfigError(`${setting.variable} is "${value}": it must be an http or https address`);
  return value.replace(/\/+$/, '');
}

/** What CRIER_PUBLISH_NETWORKS names. Throws ConfigError. */
export function publishPartsOf(names: readonly string[]): readonly PublishPart[] {
  const parts: readonly PublishPart[] = [...NETWORKS, ...BESIDE_NETWORKS];
  const unknown = names.find((name) => name !== 'all' && !(parts as readonly string[]).includes(name));
  if (unknown !== undefined || names.length === 0)
    throw new ConfigError(
      `CRIER_PUBLISH_NETWORKS ${unknown === undefined ? 'is empty' : `has "${unknown}"`}: use all, or some of ${parts.join(', ')}`,
    );
  if (names.includes('all')) return parts;
  const beside = BESIDE_NETWORKS.some((part) => names.includes(part)) ? names : [...names, ...BESIDE_NETWORKS];
  return parts.filter((part) => beside.includes(part));
}

/** The roles that CRIER_ROLES names. Throws ConfigError. */
export function rolesOf(names: readonly string[]): readonly Role[] {
  const unknown = names.find((name) => name !== 'all' && !(ROLES as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`CRIER_ROLES has "${unknown}": use all, or some of ${ROLES.join(', ')}`);
  if (names.length === 0) throw new ConfigError(`CRIER_ROLES is empty: use all, or some of ${ROLES.join(', ')}`);
  if (names.includes('all')) return ROLES;
  return ROLES.filter((role) => names.includes(role));
}
