import { json, type SandboxAnswer } from '../exchange.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** `id` and the requested fields; a field that doesn't exist fails the whole call with the answer of `missing`. */
export function selectFields(
  asked: readonly string[],
  all: Fields,
  missing: (field: string) => SandboxAnswer,
): { readonly fields: Fields } | { readonly refused: SandboxAnswer } {
  const unknown = asked.find((field) => !Object.hasOwn(all, field));
  if (unknown !== undefined) return { refused: missing(unknown.slice(0, 60)) };
  return {
    fields: Object.fromEntries(
      ['id', ...asked].filter((field) => all[field] !== undefined).map((field) => [field, all[field]]),
    ),
  };
}

/** The object with the requested fields, as an answer. */
export function answerFields(
  asked: readonly string[],
  all: Fields,
  missing: (field: string) => SandboxAnswer,
): SandboxAnswer {
  const selected = selectFields(asked, all, missing);
  return 'refused' in selected ? selected.refused : json(200, selected.fields);
}

export const graphTime = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}+0000`;
