import type { VendorFacts, VendorField } from '#schemas/vendors/form.ts';
import { FILE } from './request-content.ts';

/** How a value is judged. `isText`: it came as a text, so a number is one in digits, and a list may have commas. */
export interface Judging {
  readonly facts: VendorFacts;
  readonly isText: boolean;
}

/** What a value is not that its field wants. `name` is in the words. */
export function valueProblems(value: unknown, field: VendorField, name: string, judging: Judging): readonly string[] {
  const wanted = resolved(field, judging.facts);
  if (wanted.type === undefined || wanted.type === 'any') return [];
  if (value === FILE) {
    // Meta's files call the bytes of a file a string.
    const takesFile = wanted.type === 'file' || (judging.facts.parametersIn === 'anywhere' && wanted.type === 'string');
    return takesFile ? [] : [`"${name}" is a file and should be ${article(wanted.type)}`];
  }
  switch (wanted.type) {
    case 'list':
      return listProblems(listIn(value, judging), wanted, name, judging);
    case 'object':
      return objectProblems(judging.isText ? parsed(value) : value, wanted, name, judging);
    case 'file':
      return typeof value === 'string' ? [] : [`"${name}" should be the bytes of a file`];
    default:
      return plainProblems(value, wanted, name, judging);
  }
}

/** The field itself, or the type that it names; one that is not among the facts takes anything. */
export function resolved(field: VendorField, facts: VendorFacts): VendorField {
  return field.ref === undefined ? field : (facts.types[field.ref] ?? {});
}

/** The fields of an object, each by what it should be, and those that it should have. */
export function objectProblems(
  value: unknown,
  { fields }: VendorField,
  name: string,
  judging: Judging,
): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`"${name}" should be an object`];
  if (fields === undefined) return [];
  const inner = (own: string): string => (name === '' ? own : `${name}.${own}`);
  const missing = requiredOf(fields).filter((own) => !(own in value));
  return [
    ...missing.map((own) => `"${inner(own)}" is required`),
    ...Object.entries(value).flatMap(([own, each]) =>
      Object.hasOwn(fields, own)
        ? valueProblems(each, fields[own]!, inner(own), judging)
        : [`"${inner(own)}" is nothing that the vendor has`],
    ),
  ];
}

const required = new WeakMap<object, readonly string[]>();

/** Found once for each endpoint: some have a hundred parameters. */
function requiredOf(fields: NonNullable<VendorField['fields']>): readonly string[] {
  const known = required.get(fields);
  if (known !== undefined) return known;
  const names = Object.keys(fields).filter((name) => fields[name]!.required === true);
  required.set(fields, names);
  return names;
}

function listIn(value: unknown, { isText }: Judging): unknown {
  if (typeof value !== 'string' || !isText) return value;
  const list = value.startsWith('[') ? parsed(value) : null;
  return Array.isArray(list) ? list : value.split(',');
}

function listProblems(
  list: unknown,
  { items, maxItems }: VendorField,
  name: string,
  judging: Judging,
): readonly string[] {
  // A name that came once, where several may.
  const values = Array.isArray(list) ? (list as readonly unknown[]).flatMap((each) => listIn(each, judging)) : [list];
  if (!Array.isArray(list) && !judging.isText) return [`"${name}" should be a list`];
  if (maxItems !== undefined && values.length > maxItems) return [`"${name}" may have ${maxItems} values`];
  return items === undefined ? [] : values.flatMap((each) => valueProblems(each, items, name, judging));
}

function plainProblems(
  value: unknown,
  { type, values, pattern, maxLength, minimum, maximum }: VendorField,
  name: string,
  { isText }: Judging,
): readonly string[] {
  const should = (what: string): readonly string[] => [`"${name}" is ${shown(value)} and should be ${what}`];
  if (!isOf(value, type!, isText)) return should(article(type!));
  const text = String(value);
  if (values !== undefined && !values.includes(text)) return should(`one of ${values.join(', ')}`);
  if (pattern !== undefined && !new RegExp(pattern).test(text)) return should(`like ${pattern}`);
  if (maxLength !== undefined && [...text].length > maxLength) return should(`${maxLength} characters at most`);
  if (minimum !== undefined && Number(text) < minimum) return should(`${minimum} at least`);
  if (maximum !== undefined && Number(text) > maximum) return should(`${maximum} at most`);
  return [];
}

function isOf(value: unknown, type: NonNullable<VendorField['type']>, isText: boolean): boolean {
  switch (type) {
    case 'integer':
      return isText ? /^-?\d+$/.test(String(value)) : Number.isInteger(value);
    case 'number':
      return isText ? /^-?\d+(\.\d+)?$/.test(String(value)) : typeof value === 'number';
    case 'boolean':
      return isText ? /^(true|false|0|1)$/.test(String(value)) : typeof value === 'boolean';
    default:
      return typeof value === 'string' || (isText && typeof value === 'number');
  }
}

const MAX_SHOWN = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function parsed(value: unknown): unknown {
  try {
    return typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
  } catch {
    return value;
  }
}
