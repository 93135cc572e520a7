import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newRunFolder } from '#testing/engines/cache-folder.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const LOCK_FILE = 'package-lock.json';

/** The files of another revision, with its packages, until it is disposed of. */
export interface Checkout extends Disposable {
  readonly commit: string;
  /** What its processes run. */
  readonly program: string;
}

/** `revision` is any that git knows. Throws an Error with git's words where it knows none. */
export function checkOut(revision: string): Checkout {
  const commit = git('rev-parse', '--verify', `${revision}^{commit}`);
  const folder = join(newRunFolder('compare'), commit.slice(0, 12));
  // A run that was killed has left its entry, and the folder was removed by the next run.
  git('worktree', 'prune');
  git('worktree', 'add', '--detach', '--quiet', folder, commit);
  const sameLock = readFileSync(join(ROOT, LOCK_FILE), 'utf8') === readFileSync(join(folder, LOCK_FILE), 'utf8');
  if (sameLock) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return {
    commit,
    program: join(folder, 'services/crier/cli/main.ts'),
    [Symbol.dispose]: () => {
      git('worktree', 'remove', '--force', folder);
      rmSync(resolve(folder, '..'), { recursive: true, force: true });
    },
  };
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  } catch (error) {
    throw new Error(`git ${args[0]}: ${(error as { stderr?: string }).stderr?.trim() ?? String(error)}`, {
      cause: error,
    });
  }
}
