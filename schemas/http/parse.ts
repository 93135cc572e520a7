import type { z } from 'zod';

export type ParseResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** Checks `value` against `schema`. A refusal is one line for a person that begins with the name of the field. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): ParseResult<z.output<S>> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, message: worded(result.error.issues[0]!, value) };
}

const MAX_NAME = 100;

function worded(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'unrecognized_keys') return `${shown([...issue.path, issue.keys[0]!])} is not a known field.`;
  const name = shown(issue.path);
  const missing = issue.code === 'invalid_type' && at(value, issue.path) === undefined;
  return `${name} ${missing ? 'is missing' : issue.message.replace(/\.$/, '')}.`;
}

/** A field as people name it: `media[2].altText`. '' for the whole. */
export function fieldNameOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`))
    .join('');
}

function shown(path: readonly PropertyKey[]): string {
  const name = fieldNameOf(path);
  if (name === '') return 'The request';
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}...` : name;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (inner: unknown, part) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[part] : undefined,
    value,
  );
}
