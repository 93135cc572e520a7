import type { VendorFacts, VendorField } from '#schemas/vendors/form.ts';
import { resolved } from './values.ts';

/** One field of a selection such as `id,picture.type(large){url}`, with the fields that are selected of it. */
interface Selected {
  readonly name: string;
  readonly inner: readonly Selected[] | null;
}

/** The fields of a selection in the way of the Graph API that the type does not have. */
export function selectionProblems(selection: string, type: string, facts: VendorFacts): readonly string[] {
  const reader = { text: selection, at: 0 };
  const selected = readList(reader);
  if (reader.at < selection.length) return [`"fields" can not be read from ${selection.slice(reader.at)}`];
  return problemsIn(selected, { ref: type }, facts);
}

function problemsIn(selected: readonly Selected[], field: VendorField, facts: VendorFacts): readonly string[] {
  const type = resolved(field, facts);
  const what = field.ref ?? 'the object';
  if (type.type === 'any') return [];
  if (type.type === 'list') return problemsIn(selected, type.items ?? { type: 'any' }, facts);
  if (type.fields === undefined)
    return selected.map(({ name }) => `"fields" selects ${name} of ${what}, of which schemas/vendors has no fields`);
  return selected.flatMap(({ name, inner }) => {
    const own = type.fields![name];
    if (own === undefined) return [`"fields" selects ${name}, which ${what} does not have`];
    return inner === null ? [] : problemsIn(inner, own, facts);
  });
}

interface SelectionReader {
  readonly text: string;
  at: number;
}

function readList(reader: SelectionReader): readonly Selected[] {
  const selected: Selected[] = [];
  do {
    // Modifiers such as `.limit(3)` and `.type(large)` say how a list is read, not which fields.
    const [whole, name = ''] = /^\s*([\w:]+)(?:\.\w+\([^()]*\))*/.exec(reader.text.slice(reader.at)) ?? ['', ''];
    reader.at += whole.length;
    selected.push({ name, inner: readInner(reader) });
  } while (reader.text[reader.at] === ',' && ++reader.at > 0);
  return selected;
}

function readInner(reader: SelectionReader): readonly Selected[] | null {
  if (reader.text[reader.at] !== '{') return null;
  reader.at++;
  const inner = readList(reader);
  if (reader.text[reader.at] === '}') reader.at++;
  return inner;
}
