import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The app itself: its styles import each other, which the list of modules does not tell. */
const APP = 'clients/app';
const PACKAGES = ['package-lock.json', 'package.json'];
const STAMP = 'built-from.json';

/**
 * Whether every file that the last build was made from is as it was. A new file counts as soon as one of those
 * imports it, so the list of the last build is enough.
 */
export function isUpToDate(root: string, built: string): boolean {
  const stamp = join(built, STAMP);
  if (!existsSync(stamp)) return false;
  const hashes = JSON.parse(readFileSync(stamp, 'utf8')) as Record<string, string>;
  return Object.entries(hashes).every(([path, hash]) => hashOf(join(root, path)) === hash);
}

/** `modules`: absolute paths of what was built; those of packages stand for package-lock.json. */
export function writeStamp(root: string, built: string, modules: Iterable<string>): void {
  const own = [...modules]
    .map((id) => relative(root, id.replace(/[?#].*$/, '')))
    .filter((path) => !path.startsWith('..') && !path.includes('node_modules') && existsSync(join(root, path)));
  const app = readdirSync(join(root, APP), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  const paths = [...new Set([...PACKAGES, ...app, ...own])].sort();
  const hashes = Object.fromEntries(paths.map((path) => [path, hashOf(join(root, path))]));
  writeFileSync(join(built, STAMP), JSON.stringify(hashes, null, 1));
}

function hashOf(path: string): string | null {
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : null;
}
