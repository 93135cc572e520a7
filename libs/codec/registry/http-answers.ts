import { conflictsWithHistory } from '../compatibility.ts';
import { currentSchemas, fingerprintOf, SCHEMA_NAMESPACE, type SchemaVersion } from '../schema-history.ts';

export interface RegistryRequest {
  readonly method: string;
  /** With or without a query, which is ignored. */
  readonly path: string;
  /** The body as sent; '' when there was none. */
  readonly body: string;
}

export interface RegistryAnswer {
  readonly status: number;
  /** To be sent as JSON, `application/vnd.schemaregistry.v1+json`. */
  readonly body: unknown;
}

const LEVEL = 'FULL_TRANSITIVE';

/** Error codes of the Confluent API: the first three digits are the status. */
const ERRORS = {
  noRoute: [404, 'HTTP 404 Not Found'],
  badMethod: [405, 'HTTP 405 Method Not Allowed'],
  noSubject: [40401, 'Subject not found'],
  noVersion: [40402, 'Version not found'],
  noSchema: [40403, 'Schema not found'],
  badSchema: [42201, 'Either the input schema or one of its references is invalid'],
  badVersion: [42202, 'The specified version is not a valid version id'],
  readOnly: [42205, 'This registry is read-only: its schemas come with the release'],
} as const;

function failure(which: keyof typeof ERRORS): RegistryAnswer {
  const [code, message] = ERRORS[which];
  return { status: Number(String(code).slice(0, 3)), body: { error_code: code, message } };
}

const ok = (body: unknown): RegistryAnswer => ({ status: 200, body });

/**
 * The answers of a Confluent schema registry that holds `history` and accepts nothing else. One subject per message,
 * named as its schema. Registering or configuring what already holds succeeds, anything else is refused.
 */
export function answerRegistryRequest(history: readonly SchemaVersion[], request: RegistryRequest): RegistryAnswer {
  const parts = (request.path.split('?')[0] ?? '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  if (parts[0] === 'subjects') return answerSubjects(history, request, parts.slice(1));
  if (parts[0] === 'schemas' && parts[1] === 'ids' && parts.length === 3) {
    const schema = history.find(({ id }) => String(id) === parts[2]);
    if (request.method !== 'GET') return failure('badMethod');
    return schema === undefined ? failure('noSchema') : ok({ schema: schema.text });
  }
  if (parts[0] === 'config' && parts.length <= 2) return answerConfig(history, request, parts[1]);
  if (parts[0] === 'compatibility' && parts[1] === 'subjects' && parts[3] === 'versions' && parts.length === 5) {
    return request.method === 'POST'
      ? answerCompatibility(history, request, parts[2] ?? '', parts[4] ?? '')
      : failure('badMethod');
  }
  return failure('noRoute');
}

function answerSubjects(
  history: readonly SchemaVersion[],
  request: RegistryRequest,
  parts: readonly string[],
): RegistryAnswer {
  const { method } = request;
  const [subject, versions, version] = parts;
  if (subject === undefined)
    return method === 'GET' ? ok([...currentSchemas(history).keys()].map(subjectOf)) : failure('badMethod');
  const known = versionsOf(history, subject);
  if (versions === undefined) return method === 'POST' ? answerLookUp(known, request) : failure('badMethod');
  if (versions !== 'versions' || parts.length > 3) return failure('noRoute');
  if (version === undefined && method === 'POST') return answerRegister(known, request);
  if (method !== 'GET') return failure('badMethod');
  if (known.length === 0) return failure('noSubject');
  if (version === undefined) return ok(known.map((schema) => schema.version));
  const found = pickVersion(known, version);
  return 'status' in found ? found : ok(described(found));
}

function answerLookUp(known: readonly SchemaVersion[], request: RegistryRequest): RegistryAnswer {
  if (known.length === 0) return failure('noSubject');
  const text = schemaIn(request);
  if (text === null) return failure('badSchema');
  const found = sameSchema(known, text);
  return found === undefined ? failure('noSchema') : ok(described(found));
}

function answerRegister(known: readonly SchemaVersion[], request: RegistryRequest): RegistryAnswer {
  const text = schemaIn(request);
  if (text === null) return failure('badSchema');
  const found = sameSchema(known, text);
  return found === undefined ? failure('readOnly') : ok({ id: found.id });
}

function answerConfig(
  history: readonly SchemaVersion[],
  request: RegistryRequest,
  subject: string | undefined,
): RegistryAnswer {
  if (subject !== undefined && versionsOf(history, subject).length === 0) return failure('noSubject');
  if (request.method === 'GET') return ok({ compatibilityLevel: LEVEL });
  if (request.method !== 'PUT') return failure('badMethod');
  return objectIn(request)?.['compatibility'] === LEVEL ? ok({ compatibility: LEVEL }) : failure('readOnly');
}

/** `version` is only checked for existence: every version counts in any case, since the level is transitive. */
function answerCompatibility(
  history: readonly SchemaVersion[],
  request: RegistryRequest,
  subject: string,
  version: string,
): RegistryAnswer {
  const known = versionsOf(history, subject);
  if (known.length === 0) return failure('noSubject');
  const found = pickVersion(known, version);
  if ('status' in found) return found;
  const text = schemaIn(request);
  if (text === null) return failure('badSchema');
  const messages = conflictsWithHistory(known, found.name, text);
  return ok({ is_compatible: messages.length === 0, messages });
}

function pickVersion(known: readonly SchemaVersion[], version: string): SchemaVersion | RegistryAnswer {
  if (version === 'latest' || version === '-1') return known.at(-1) ?? failure('noVersion');
  if (!/^[1-9]\d{0,8}$/.test(version)) return failure('badVersion');
  return known.find((schema) => schema.version === Number(version)) ?? failure('noVersion');
}

function versionsOf(history: readonly SchemaVersion[], subject: string): readonly SchemaVersion[] {
  return history.filter(({ name }) => subjectOf(name) === subject).sort((a, b) => a.version - b.version);
}

export function subjectOf(name: string): string {
  return `${SCHEMA_NAMESPACE}.${name}`;
}

function described({ name, version, id, text }: SchemaVersion): unknown {
  return { subject: subjectOf(name), version, id, schema: text };
}

function sameSchema(known: readonly SchemaVersion[], text: string): SchemaVersion | undefined {
  const fingerprint = fingerprintOf(text);
  return known.find((schema) => schema.fingerprint === fingerprint);
}

/** The Avro schema of a body `{ schema, schemaType? }`, null when there is none. */
function schemaIn(request: RegistryRequest): string | null {
  const { schema, schemaType = 'AVRO' } = objectIn(request) ?? {};
  return typeof schema === 'string' && schemaType === 'AVRO' && objectOf(schema) !== null ? schema : null;
}

function objectIn(request: RegistryRequest): Readonly<Record<string, unknown>> | null {
  return objectOf(request.body);
}

function objectOf(json: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
