import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FaultSeen } from './faults.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'bench-results/alerts');

/** A row with the commit that it was seen at, which is followed by `+` where files differed from it. */
interface KeptRow {
  readonly commit: string;
  readonly on: string;
  readonly row: FaultSeen;
}

/** Keeps a row for write-table.ts, in place of an earlier one of the same fault. */
export function keepRow(row: FaultSeen): void {
  mkdirSync(FOLDER, { recursive: true });
  const kept: KeptRow = { commit: commitNow(), on: new Date().toISOString().slice(0, 10), row };
  writeFileSync(join(FOLDER, `${row.name.replace(/\W+/g, '-').toLowerCase()}.json`), JSON.stringify(kept));
}

/** The rows that were seen at this commit, and the last day of them. */
export function rowsOfThisCommit(): { readonly rows: readonly FaultSeen[]; readonly on: string } {
  const now = commitNow();
  const kept = readdirSync(FOLDER)
    .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as KeptRow)
    .filter(({ commit }) => commit === now);
  return {
    rows: kept.map(({ row }) => row),
    on:
      kept
        .map(({ on }) => on)
        .sort()
        .at(-1) ?? '',
  };
}

function commitNow(): string {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  return `${git('rev-parse', 'HEAD')}${git('status', '--porcelain', '--', ':!docs') === '' ? '' : '+'}`;
}
