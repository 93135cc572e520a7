import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOf } from './subjects.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Subjects are judged from here on. */
const SINCE = 'be834f1';

/** Of commits since then, newest first; none where the history is not there: in an archive or a shallow clone. */
function subjects(): readonly string[] {
  const git = (...words: readonly string[]): string =>
    execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    git('merge-base', '--is-ancestor', SINCE, 'HEAD');
    return git('log', '--format=%s', `${SINCE}..HEAD`).split('\n');
  } catch {
    return [];
  }
}

test('subjects of commits are short, typed, and name no machine', () => {
  expect(subjects().flatMap(problemsOf)).toEqual([]);
});

test.each([
  ['Merge branch main of /tmp/somewhere', 2],
  ['fix(scheduler): read again what a leading clock may have read in vain, and then some more', 1],
  ['wip', 1],
  ['fix(media): keep a file in /home/me', 1],
  ['refactor: give each noun a room, and forbid circles of imports', 0],
  ['docs(adr): say why', 0],
])('%s: %i problems', (subject, count) => {
  expect(problemsOf(subject)).toHaveLength(count);
});
