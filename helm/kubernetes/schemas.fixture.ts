import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import type { KubernetesObject } from '../helm.fixture.ts';
import { SCHEMAS_FOLDER } from './versions.ts';

const FOLDER = resolve(import.meta.dirname, '../..', SCHEMAS_FOLDER);

/** `make chart` fetches them. */
export const hasSchemas = (): boolean => existsSync(FOLDER);

type Schema = Readonly<Record<string, unknown>>;
interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
type KeyedObject = KubernetesObject & { readonly apiVersion: string };

/**
 * What an API server of one version refuses of objects by its schemas, in the strict mode of `kubectl apply`: unknown
 * fields, wrong types, words that are none of a list. Defaults and what is beyond schemas are not looked at.
 */
class KubernetesSchemas {
  readonly #version: string;
  readonly #validators = new Map<string, ValidateFunction | null>();

  constructor(version: string) {
    this.#version = version;
  }

  /** Each begins with the field. */
  refusals(object: KubernetesObject): readonly string[] {
    const { apiVersion, kind } = object as KeyedObject;
    const id = `${apiVersion} ${kind}`;
    if (!this.#validators.has(id)) this.#validators.set(id, this.#compile(apiVersion, kind));
    const validate = this.#validators.get(id);
    if (validate === null || validate === undefined) return [`${id}: Kubernetes ${this.#version} has no such kind`];
    if (validate(object)) return [];
    return validate.errors!.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  #compile(apiVersion: string, kind: string): ValidateFunction | null {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    const schema = this.#builtIn(group, version, kind) ?? definitionOf({ group, version, kind });
    if (schema === null) return null;
    // Formats of Kubernetes are its own, and its patterns are Go's.
    return new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false, allErrors: true }).compile(schema);
  }

  #builtIn(group: string, version: string, kind: string): Schema | null {
    const path = join(FOLDER, this.#version, group === '' ? 'api' : join('apis', group), `${version}.json`);
    if (!existsSync(path)) return null;
    const { components } = JSON.parse(readFileSync(path, 'utf8')) as {
      components: { schemas: Readonly<Record<string, Schema>> };
    };
    const root = Object.entries(components.schemas).find(([, schema]) =>
      (schema['x-kubernetes-group-version-kind'] as readonly Kind[] | undefined)?.some(
        (one) => one.group === group && one.version === version && one.kind === kind,
      ),
    );
    return root === undefined ? null : { $ref: `#/components/schemas/${root[0]}`, components: closed(components) };
  }
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** Kinds of operators; null: none has it. */
function definitionOf({ group, version, kind }: Kind): Schema | null {
  const folder = join(FOLDER, 'definitions');
  for (const file of readdirSync(folder)) {
    const { spec } = parse(readFileSync(join(folder, file), 'utf8')) as Definition;
    if (spec.group !== group || spec.names.kind !== kind) continue;
    const found = spec.versions.find(({ name }) => name === version);
    if (found !== undefined) return closed(found.schema.openAPIV3Schema) as Schema;
  }
  return null;
}

/** Schemas of Kubernetes leave unknown fields open, and its server refuses them all the same. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  // Texts, and values that look like schemas.
  const { description: _, default: __, enum: words, ...rest } = schema as Record<string, unknown>;
  const inner: Record<string, unknown> = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === 'properties' ? closedEach(value) : closed(value)]),
  );
  if (words !== undefined) inner['enum'] = words;
  // Go sets a flag for the rest of a pattern, JavaScript for a group.
  if (typeof rest['pattern'] === 'string') inner['pattern'] = rest['pattern'].replace(/\(\?i\)(.*)$/, '(?i:$1)');
  if (rest['x-kubernetes-int-or-string'] === true) inner['type'] = ['integer', 'string'];
  if (rest['format'] === 'int32') Object.assign(inner, { minimum: -(2 ** 31), maximum: 2 ** 31 - 1, ...bounds(rest) });
  const isClosed =
    typeof rest['properties'] === 'object' &&
    rest['type'] === 'object' &&
    rest['additionalProperties'] === undefined &&
    rest['x-kubernetes-preserve-unknown-fields'] !== true;
  return isClosed ? { ...inner, additionalProperties: false } : inner;
}

/** Fields, any of which may be named `description` or `enum`. */
const closedEach = (fields: unknown): object =>
  Object.fromEntries(Object.entries(fields as object).map(([name, schema]) => [name, closed(schema)]));

const bounds = ({ minimum, maximum }: Record<string, unknown>): object => ({
  ...(minimum !== undefined && { minimum }),
  ...(maximum !== undefined && { maximum }),
});

const all = new Map<string, KubernetesSchemas>();

/** A line for each fault of any version. Objects that are equal are looked at once. */
export function refusalsOf(versions: readonly string[], objects: readonly KubernetesObject[]): readonly string[] {
  const distinct = new Map(objects.map((object) => [JSON.stringify(object), object]));
  return versions.flatMap((version) => {
    const schemas = all.get(version) ?? new KubernetesSchemas(version);
    all.set(version, schemas);
    return [...distinct.values()].flatMap((object) =>
      schemas.refusals(object).map((words) => `${version}: ${object.kind} ${object.metadata.name}: ${words}`),
    );
  });
}
