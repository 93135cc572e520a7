import type { ValueSchema } from '../schema/json-schema.ts';
import { REMOVED_VALUES } from '../schema/removed-values.ts';
import { VALUES_SCHEMA } from '../schema/values-schema.ts';
import { SAMPLES } from './samples.fixture.ts';

/** One value of the chart, set to something else than an example has. */
export interface Flip {
  readonly path: readonly string[];
  readonly value: unknown;
}

export const nameOfFlip = ({ path, value }: Flip): string => `${path.join('.')}=${JSON.stringify(value)}`;

interface Leaf {
  readonly path: readonly string[];
  readonly schema: ValueSchema;
}

/** Every value of the schema with what it can be: both booleans, each word of a list, bounds, and texts of any kind. */
export function flipsOf(): readonly Flip[] {
  return leavesOf([], VALUES_SCHEMA).flatMap(({ path, schema }) =>
    candidatesOf(path, schema).map((value) => ({ path, value })),
  );
}

/** The settings are the same everywhere: each is flipped once, at the top, and one of them in each other place. */
function leavesOf(path: readonly string[], schema: ValueSchema): readonly Leaf[] {
  if (schema.$ref !== undefined)
    return path.length === 1 ? leavesOf(path, VALUES_SCHEMA.definitions['settings']!) : [{ path, schema }];
  if (schema.properties !== undefined)
    return Object.entries(schema.properties).flatMap(([name, inner]) => leavesOf([...path, name], inner));
  return schema.items?.properties === undefined
    ? [{ path, schema }]
    : [{ path, schema }, ...leavesOf([...path, '0'], schema.items)];
}

/**
 * Texts that break what is not quoted: as YAML they are a boolean, a number, nothing, a mapping, a list, a template.
 * Where a value takes none of them, its sample shows that it takes something.
 */
const TEXTS: readonly string[] = [
  '',
  'true',
  '0',
  '1e3',
  'null',
  '~',
  'a: b',
  '- a',
  '# a',
  '"\'',
  'a\nb: c',
  '{{ a }}',
];

function candidatesOf(path: readonly string[], schema: ValueSchema): readonly unknown[] {
  const sample = SAMPLES.find(([pattern]) => pattern.test(path.join('.')))?.[1] ?? [];
  if (schema.deprecated === true) return [1];
  if (schema.$ref !== undefined) return [{}, { CRIER_CANARY: 'off' }, { CRIER_CANARY: 'often' }];
  if (schema.enum !== undefined) return schema.enum;
  switch (schema.type) {
    case 'boolean':
      return [true, false];
    case 'integer':
      return [schema.minimum! - 1, schema.minimum!, schema.maximum!, schema.maximum! + 1];
    case 'string':
      return [...TEXTS, ...sample];
    case 'array':
      return [[], ...(takesTexts(schema.items) ? [TEXTS] : []), ...sample];
    case 'object':
      return [{}, ...(takesTexts(schema.additionalProperties) ? [NAMED_TEXTS] : []), ...sample];
    default:
      throw new Error(`${path.join('.')}: no flips for a value of type ${String(schema.type)}`);
  }
}

const NAMED_TEXTS = Object.fromEntries(TEXTS.map((text, index) => [`example.com/a${index}`, text]));
const takesTexts = (inner: ValueSchema | boolean | undefined): boolean =>
  typeof inner === 'object' && inner.type === 'string';

/** Values as one object: what stands in a list is put into a whole list, as lists are not merged. */
export function valuesOf(flips: readonly Flip[], base: object): object {
  const values: Record<string, unknown> = {};
  for (const { path, value } of flips) {
    let at = values;
    let inBase: unknown = base;
    for (const [index, step] of path.slice(0, -1).entries()) {
      inBase = (inBase as Record<string, unknown> | undefined)?.[step];
      at[step] ??= path[index + 1] === '0' ? structuredClone(inBase) : {};
      at = at[step] as Record<string, unknown>;
    }
    at[path.at(-1)!] = value;
  }
  return values;
}

/**
 * Flips that one rendering takes at once: one of each room, so that none hides another of its room. What changes the
 * whole installation is alone.
 */
export function groupsOf(flips: readonly Flip[]): readonly (readonly Flip[])[] {
  const isAlone = ({ path }: Flip): boolean => ALONE.has(path.join('.'));
  const rooms = Map.groupBy(
    flips.filter((flip) => !isAlone(flip)),
    ({ path }) => path.slice(0, HOUSES.has(path[0]!) ? 2 : 1).join('.'),
  );
  const most = Math.max(...[...rooms.values()].map(({ length }) => length));
  const together = Array.from({ length: most }, (_, index) => [...rooms.values()].flatMap((list) => list[index] ?? []));
  return [...flips.filter(isAlone).map((flip) => [flip]), ...together];
}

/** What has rooms of its own: roles are independent of each other, and so on. */
const HOUSES = new Set(['roles', 'networks', 'monitoring', 'settings', 'serviceAccount', 'secrets']);
const ALONE = new Set([
  ...Object.keys(REMOVED_VALUES),
  ...['mode', 'networks.mode', 'publicUrl', 'nameOverride', 'fullnameOverride', 'ipFamily'],
]);
