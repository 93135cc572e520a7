type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Fields = { readonly [name: string]: Json };

/**
 * The changes from `before` to `next`, both OpenAPI documents, that break a client written against `before`: one line
 * each. These additions break none: a path, an operation, an answer, a field of an answer, an optional field or a
 * further value of a request.
 */
export function breaks(before: unknown, next: unknown): readonly string[] {
  return compare(inlined(before as Fields), inlined(next as Fields), { at: '', side: 'answer' });
}

/** Places in an OpenAPI document where an answer, or what a webhook sends, takes no further field. */
export function closedAnswers(document: unknown): readonly string[] {
  const search = (value: Json, place: Place): string[] => {
    if (Array.isArray(value))
      return value.flatMap((item: Json, index) => search(item, { ...place, at: `${place.at}/${index}` }));
    if (!isFields(value)) return [];
    const closed = place.side === 'answer' && value['additionalProperties'] === false ? [place.at] : [];
    return [...closed, ...Object.entries(value).flatMap(([name, item]) => search(item, inside(place, name)))];
  };
  return search(inlined(document as Fields), { at: '', side: 'answer' });
}

/** The document with every reference replaced by its target: one schema may stand in requests and in answers. */
function inlined(document: Fields): Json {
  const { components, ...rest } = document;
  const schemas = ((components as Fields | undefined)?.['schemas'] ?? {}) as Fields;
  const inline = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inline);
    if (!isFields(value)) return value;
    const reference = value['$ref'];
    if (typeof reference === 'string') return inline(schemas[reference.split('/').at(-1)!]!);
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inline(item)]));
  };
  return inline(rest);
}

interface Place {
  readonly at: string;
  /** Whether clients write the described value, as in requests, or read it, as in answers. */
  readonly side: 'request' | 'answer';
}

/** Descriptive texts, which may change. */
const WORDS = new Set(['description', 'summary', 'example', 'examples', 'title', 'servers', 'tags', 'info']);

/** Bounds that may only be loosened in requests. */
const UPPER = new Set(['maxLength', 'maxItems', 'maximum', 'maxProperties']);
const LOWER = new Set(['minLength', 'minItems', 'minimum', 'minProperties']);

function compare(before: Json, next: Json, place: Place): string[] {
  if (Array.isArray(before) && Array.isArray(next) && before.length === next.length && before.every(isFields)) {
    return before.flatMap((item, index) =>
      compare(item, next[index] as Json, { ...place, at: `${place.at}/${index}` }),
    );
  }
  if (isFields(before))
    return isFields(next) ? compareFields(before, next, place) : [`${place.at} is no longer an object`];
  return JSON.stringify(before) === JSON.stringify(next)
    ? []
    : [`${place.at} was ${JSON.stringify(before)} and is ${JSON.stringify(next)}`];
}

function compareFields(before: Fields, next: Fields, place: Place): string[] {
  const broken: string[] = [];
  for (const [name, was] of Object.entries(before)) {
    if (WORDS.has(name) && typeof was !== 'object') continue;
    if (name === 'servers' || name === 'info') continue;
    broken.push(...compareField(name, was, next[name], inside(place, name)));
  }
  return [...broken, ...newDemands(before, next, place)];
}

function compareField(name: string, was: Json, is: Json | undefined, place: Place): string[] {
  const { at, side } = place;
  if (name === 'required' && Array.isArray(was)) return comparedRequired(was, is, place);
  if (name === 'enum' && Array.isArray(was))
    return missing(was, is).map((value) => `${at} lost ${JSON.stringify(value)}`);
  if (name === 'parameters' && Array.isArray(was)) return comparedParameters(was, is, place);
  if (side === 'request' && UPPER.has(name))
    return is === undefined || (is as number) >= (was as number) ? [] : [`${at} is lower`];
  if (side === 'request' && LOWER.has(name))
    return is === undefined || (is as number) <= (was as number) ? [] : [`${at} is higher`];
  if (is === undefined) return side === 'request' && name === 'additionalProperties' ? [] : [`${at} is gone`];
  return compare(was, is, place);
}

/** Fields that clients read must stay; required fields that they write must not be added. */
function comparedRequired(was: readonly Json[], is: Json | undefined, { at, side }: Place): string[] {
  if (side === 'answer') return missing(was, is).map((name) => `${at}: ${String(name)} may be left out now`);
  return missing((is ?? []) as readonly Json[], was).map((name) => `${at}: ${String(name)} is demanded now`);
}

function comparedParameters(was: readonly Json[], is: Json | undefined, place: Place): string[] {
  const named = (list: Json | undefined) =>
    new Map(
      ((list ?? []) as readonly Fields[]).map((parameter) => [
        `${String(parameter['in'])} ${String(parameter['name'])}`,
        parameter,
      ]),
    );
  const now = named(is);
  const then = named(was);
  const lost = [...then].flatMap(([name, parameter]) => {
    const other = now.get(name);
    return other === undefined
      ? [`${place.at} ${name} is gone`]
      : compareFields(parameter, other, { at: `${place.at} ${name}`, side: 'request' });
  });
  const demanded = [...now].filter(
    ([name, parameter]) => parameter['required'] === true && then.get(name)?.['required'] !== true,
  );
  return [...lost, ...demanded.map(([name]) => `${place.at} ${name} is demanded now`)];
}

/** Constraints that did not exist before. */
function newDemands(before: Fields, next: Fields, { at, side }: Place): string[] {
  if (side === 'answer' || !('type' in next)) return [];
  const bounds = Object.keys(next).filter(
    (name) => (UPPER.has(name) || LOWER.has(name) || name === 'enum' || name === 'pattern') && !(name in before),
  );
  const required =
    'required' in before
      ? []
      : ((next['required'] ?? []) as readonly Json[]).map((name) => `required: ${String(name)}`);
  return [...bounds, ...required].map((demand) => `${at} ${demand} is demanded now`);
}

function inside({ at, side }: Place, name: string): Place {
  const sent = (name === 'requestBody' || name === 'parameters') && !at.startsWith('/webhooks');
  return { at: `${at}/${name}`, side: sent ? 'request' : side };
}

function missing(was: readonly Json[], is: Json | undefined): readonly Json[] {
  return was.filter((value) => !Array.isArray(is) || !is.includes(value));
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
