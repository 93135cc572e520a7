import { isRecord } from '../exchange.ts';

/** Requested fields by name, each with the fields requested within it; none within: all of it. */
export type FieldTree = ReadonlyMap<string, FieldTree>;

const MAX_DEPTH = 6;
const NAME = /\s*([A-Za-z0-9_]+)/y;
/** `.type(large)`, `.limit(5)`: options of a field, which change nothing here. */
const MODIFIER = /\.[a-z_]+\([^(){}]*\)/y;
const END = /\s*([,}]|$)/y;

/** `id,attachments{target{id}},picture.type(large){url}`; null when that can't be parsed, or is nested too deeply. */
export function readFieldTree(text: string): FieldTree | null {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const list = (depth: number): FieldTree | null => {
    const fields = new Map<string, FieldTree>();
    for (;;) {
      const name = take(NAME)?.[1];
      if (name === undefined) return null;
      while (take(MODIFIER) !== null);
      let within: FieldTree | null = new Map();
      if (text[at] === '{') {
        at += 1;
        within = depth < MAX_DEPTH ? list(depth + 1) : null;
      }
      const end = within === null ? undefined : take(END)?.[1];
      if (within === null || end === undefined || (end === '}') !== (depth > 0 && end !== ',')) return null;
      fields.set(name, within);
      if (end !== ',') return fields;
    }
  };
  return text.trim() === '' ? new Map() : list(0);
}

/** The requested part of a value. Lists, and the content of `data`, are searched; their elements keep their `id`. */
export function prune(value: unknown, tree: FieldTree): unknown {
  if (tree.size === 0) return value;
  if (Array.isArray(value)) return value.map((each: unknown) => prune(each, tree));
  if (!isRecord(value)) return value;
  if ('data' in value) return { ...value, data: prune(value['data'], tree) };
  const kept = Object.entries(value).filter(([name]) => name === 'id' || tree.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, prune(inner, tree.get(name) ?? new Map())]));
}
