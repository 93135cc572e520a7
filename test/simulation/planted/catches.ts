import { readFileSync, writeFileSync } from 'node:fs';

/** What became of a planted bug when it was last hunted. */
export type Recorded =
  /** The first of the worlds from seed 1 on; `checks` '': it did not come to its end. */
  | { readonly seed: number; readonly checks: string }
  | { readonly suite: string; readonly test: string }
  /** So many worlds, or its suite, saw nothing. */
  | { readonly escapedWorlds: number };

const FILE = new URL('catches.json', import.meta.url);

/** By the bug's name. */
export function readCatches(): Readonly<Record<string, Recorded>> {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, Recorded>>;
}

/** `names`: of all bugs there are; what is recorded of others is dropped. */
export function writeCatches(found: Readonly<Record<string, Recorded>>, names: readonly string[]): void {
  const all = { ...readCatches(), ...found };
  const kept = names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]] as const]));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
}
