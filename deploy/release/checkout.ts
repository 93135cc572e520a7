import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ArchivedFile } from './archive.ts';

function git(root: string, ...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Why no release can be made of this checkout, as a sentence; null: one can. */
export function refusalOf(root: string): string | null {
  let changed: readonly string[];
  try {
    changed = git(root, 'status', '--porcelain', '--untracked-files=all').split('\n').filter(Boolean);
  } catch {
    return 'A release is made of a commit, and this folder is no checkout of git.';
  }
  if (changed.length === 0) return null;
  const [first = ''] = changed;
  const more = changed.length === 1 ? ' differs' : ` and ${changed.length - 1} more differ`;
  return `A release is made of a commit, and ${first.slice(3)}${more} from it: commit or remove what differs, then type make release again.`;
}

export interface Commit {
  readonly id: string;
  /** Every file of a release bears its time. */
  readonly at: Date;
}

export function commitOf(root: string): Commit {
  const [id = '', seconds] = git(root, 'log', '-1', '--format=%H %ct').trim().split(' ');
  return { id, at: new Date(Number(seconds) * 1_000) };
}

const MODES: Readonly<Record<string, boolean>> = { '100644': false, '100755': true };

/** The files that git has below a folder, `''` for all, with their paths from the root. */
export function trackedFiles(root: string, below: string): readonly ArchivedFile[] {
  const lines = git(root, 'ls-files', '--stage', '-z', '--', below === '' ? '.' : below)
    .split('\0')
    .filter(Boolean);
  return lines.map((line) => {
    const [facts = '', path = ''] = line.split('\t');
    const isExecutable = MODES[facts.split(' ')[0]!];
    if (isExecutable === undefined) throw new Error(`${path} is neither a file nor a program`);
    return { path, isExecutable, bytes: readFileSync(join(root, path)) };
  });
}
