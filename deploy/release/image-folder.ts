import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { ignoredBy } from './docker-ignore.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * What the steps of deploy/Dockerfile leave of the tree at `source`, in `folder`/crier, and its Node in `folder`/bin.
 * Files are linked where the disk is the same.
 */
export function linkImage(source: string, folder: string): { readonly code: string; readonly bin: string } {
  const [code, bin] = [join(folder, 'crier'), join(folder, 'bin')];
  for (const path of copied(source)) {
    mkdirSync(dirname(join(code, path)), { recursive: true });
    link(join(source, path), join(code, path));
  }
  const packages = productionPackages();
  for (const path of packages) {
    const nested = packages.some((other) => path.startsWith(`${other}/node_modules/`));
    if (nested) continue;
    mkdirSync(dirname(join(code, path)), { recursive: true });
    execFileSync('cp', ['-al', join(ROOT, path), join(code, path)]);
  }
  mkdirSync(bin);
  cpSync(process.execPath, join(bin, 'node'), { dereference: true });
  return { code, bin };
}

function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyFileSync(from, to);
  }
}

/** What `COPY . .` takes. */
function copied(source: string): readonly string[] {
  const isIgnored = ignoredBy(readFileSync(join(ROOT, '.dockerignore'), 'utf8'));
  const visit = (folder: string): readonly string[] =>
    readdirSync(join(source, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (isIgnored(path)) return [];
      return entry.isDirectory() ? visit(path) : entry.isFile() ? [path] : [];
    });
  return visit('');
}

/** What `npm ci` and `npm prune --omit=dev` leave. */
function productionPackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path]) => path)
    .filter((path) => existsSync(join(ROOT, path)) && !/^node_modules\/node(-bin-setup)?(\/|$)/.test(path));
}
