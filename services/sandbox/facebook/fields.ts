import { json, type SandboxAnswer } from '../exchange.ts';
import { prune, readFieldTree } from '../graph/field-tree.ts';
import { selectFields, type Fields } from '../graph/fields.ts';
import { noField, syntaxError } from './graph-errors.ts';

export type FieldSelection = { readonly fields: Fields } | { readonly refused: SandboxAnswer };

/** The requested `fields` of an object of that kind, or `usual` when none are requested. */
export function select(
  parameters: URLSearchParams,
  all: Fields,
  kind: string,
  usual: readonly string[],
): FieldSelection {
  const tree = readFieldTree(parameters.get('fields') ?? '');
  if (tree === null) return { refused: syntaxError() };
  const selected = selectFields(tree.size === 0 ? usual : [...tree.keys()], all, noField(kind));
  if ('refused' in selected) return selected;
  return {
    fields: Object.fromEntries(
      Object.entries(selected.fields).map(([name, value]) => [name, prune(value, tree.get(name) ?? new Map())]),
    ),
  };
}

export function answerObject(
  parameters: URLSearchParams,
  all: Fields,
  kind: string,
  usual: readonly string[],
): SandboxAnswer {
  const selected = select(parameters, all, kind, usual);
  return 'refused' in selected ? selected.refused : json(200, selected.fields);
}
