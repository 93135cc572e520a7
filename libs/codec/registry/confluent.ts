import { Agent } from 'node:https';
import { COMPATIBILITY, SchemaRegistry as Client, SchemaType } from '@kafkajs/confluent-schema-registry';
import { PortError } from '#ports/errors.ts';
import { currentSchemas, readSchemaHistory, writableSchemas, type SchemaVersion } from '../schema-history.ts';
import { subjectOf } from './http-answers.ts';
import type { SchemaRegistry } from './schema-registry.ts';
import type { StoredSchema } from './table.ts';

export interface ConfluentOptions {
  /** With the path under which the Confluent API is served; no trailing slash. */
  readonly url: string;
  readonly auth?: { readonly username: string; readonly password: string };
  /** PEM texts, for an https address: a private authority, a client certificate. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly requestTimeoutMs?: number;
  readonly history?: readonly SchemaVersion[];
}

const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Looks up the id of every schema that this release knows and then answers for those from memory, so that a registry
 * that becomes unreachable later stops no consumer. It registers nothing. Rejects with `PortError`: `unavailable` when
 * the registry doesn't answer, `refused` when it lacks a schema that this release writes.
 */
export async function createConfluentRegistry(options: ConfluentOptions): Promise<SchemaRegistry> {
  const history = options.history ?? readSchemaHistory();
  const client = clientOf(options);
  const current = currentSchemas(history);
  const versions = new Set(writableSchemas(history));
  const ids = new Map<string, number>();
  const texts = new Map<number, string>();
  for (const schema of history) {
    const id = await lookUp(client, schema);
    if (id !== null) texts.set(id, schema.text);
    if (!versions.has(schema)) continue;
    if (id === null)
      throw new PortError(
        'refused',
        `${subjectOf(schema.name)} version ${schema.version} is not registered: migrate first`,
      );
    ids.set(`${schema.name} ${schema.version}`, id);
  }
  return {
    idOf: (name, version = current.get(name)?.version) => {
      const id = ids.get(`${name} ${version}`);
      if (id === undefined) throw new TypeError(`no schema for ${name}`);
      return id;
    },
    schemaOf: async (id) => {
      const text = texts.get(id);
      if (text !== undefined) return text;
      const found = await orNull(() => client.getSchema(id));
      if (found === null) return null;
      texts.set(id, JSON.stringify(found));
      return texts.get(id) ?? null;
    },
  };
}

/**
 * Registers every version in order, each subject at FULL_TRANSITIVE before anything is compared. That is the strictest
 * level: a laxer one is raised, none is ever lowered. For a deploy step, repeatable; returns the schemas for
 * `storeSchemas`. Rejects with `PortError`: `refused` when the registry finds a version incompatible, else
 * `unavailable`.
 */
export async function registerSchemas(
  options: ConfluentOptions,
): Promise<readonly (StoredSchema & { readonly name: string })[]> {
  const history = options.history ?? readSchemaHistory();
  const client = clientOf(options);
  const registered: (StoredSchema & { readonly name: string })[] = [];
  for (const { name, text } of history) {
    const subject = subjectOf(name);
    await raiseCompatibility(client, subject);
    const { id } = await settled(() =>
      client.register(
        { type: SchemaType.AVRO, schema: text },
        { subject, compatibility: COMPATIBILITY.FULL_TRANSITIVE, updateConfig: false },
      ),
    );
    registered.push({ id, name, text });
  }
  return registered;
}

/** The schemas of this release that the registry lacks, a sentence each. Rejects with `PortError`. */
export async function unregisteredSchemas(options: ConfluentOptions): Promise<readonly string[]> {
  const client = clientOf(options);
  const lines: string[] = [];
  for (const schema of options.history ?? readSchemaHistory())
    if ((await lookUp(client, schema)) === null)
      lines.push(`${subjectOf(schema.name)} version ${schema.version} is not registered at ${options.url}`);
  return lines;
}

/**
 * The client's own `register` compares with the subject's level only and takes a 404 for agreement: the first version
 * would be registered at the server's default. It has no public call for the level, hence its inner one.
 */
async function raiseCompatibility(client: Client, subject: string): Promise<void> {
  const { Subject } = client['api'];
  const answer: { data(): { compatibilityLevel?: string } } | null = await orNull(() => Subject.config({ subject }));
  if (answer?.data().compatibilityLevel === COMPATIBILITY.FULL_TRANSITIVE) return;
  await settled(() => Subject.updateConfig({ subject, body: { compatibility: COMPATIBILITY.FULL_TRANSITIVE } }));
}

function lookUp(client: Client, { name, text }: SchemaVersion): Promise<number | null> {
  return orNull(() => client.getRegistryIdBySchema(subjectOf(name), { type: SchemaType.AVRO, schema: text }));
}

function clientOf({ url, auth, tls, requestTimeoutMs = REQUEST_TIMEOUT_MS }: ConfluentOptions): Client {
  return new Client({
    host: url,
    ...(auth === undefined ? {} : { auth }),
    ...(url.startsWith('https:') ? { agent: new Agent({ keepAlive: true, ...tls }) } : {}),
    // The client has no time-out of its own and would wait for ever for a server that accepts and never answers.
    middlewares: [() => ({ prepareRequest: async (next) => (await next()).enhance({ timeout: requestTimeoutMs }) })],
  });
}

/** Turns the registry's "not found" into null. */
async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (isMissing(error)) return null;
    throw portErrorOf(error);
  }
}

async function settled<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw portErrorOf(error);
  }
}

/**
 * The client reports a failed connection as status 400; the registry itself answers 409 and 422 to a schema that it
 * refuses.
 */
function portErrorOf(error: unknown): PortError {
  const status = statusOf(error);
  const message = `schema registry: ${error instanceof Error ? error.message : String(error)}`;
  return new PortError(status === 409 || status === 422 ? 'refused' : 'unavailable', message, { cause: error });
}

/**
 * The client reports the 404 of a schema by an error class of its own, which it doesn't export; its subclasses mean
 * other things.
 */
function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 || (error instanceof Error && error.name === 'ConfluentSchemaRegistryError');
}

function statusOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
}
