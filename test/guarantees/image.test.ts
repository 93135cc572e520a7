import { execFile } from 'node:child_process';
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
/** On the disk of the checkout, so that files are linked and not copied. */
const FOLDER = join(ROOT, '.cache', `image-${process.pid}`);
const IMAGE = join(FOLDER, 'crier');
const NODE = join(FOLDER, 'node');
const run = promisify(execFile);

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** What `COPY . .` takes. */
function copied(): readonly string[] {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isIgnored = (path: string): boolean =>
    ignored.some((pattern) => path === pattern || matchesGlob(path, pattern));
  const visit = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
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

test(
  'the steps of the image make what starts without developers’ packages, as nobody, on a read-only root',
  { timeout: 300_000 },
  async () => {
    for (const path of copied()) {
      mkdirSync(dirname(join(IMAGE, path)), { recursive: true });
      linkSync(join(ROOT, path), join(IMAGE, path));
    }
    const packages = productionPackages();
    for (const path of packages) {
      const nested = packages.some((other) => path.startsWith(`${other}/node_modules/`));
      if (nested) continue;
      mkdirSync(dirname(join(IMAGE, path)), { recursive: true });
      await run('cp', ['-al', join(ROOT, path), join(IMAGE, path)]);
    }
    expect(existsSync(join(IMAGE, 'node_modules/vitest'))).toBe(false);
    cpSync(process.execPath, NODE, { dereference: true });

    const compiled = join(IMAGE, '.cache/compiled');
    const env = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: compiled };
    await run(NODE, ['deploy/warm-up.ts'], { cwd: IMAGE, env });
    expect(readdirSync(compiled, { recursive: true }).length).toBeGreaterThan(100);

    // As a container does; where this is no root, what it holds off is left to the container.
    if (process.getuid?.() !== 0) return;
    const script = `mount --bind '${FOLDER}' '${FOLDER}' && mount -o remount,ro,bind '${FOLDER}' && cd '${IMAGE}' && ! touch planted 2>/dev/null \
    && exec setpriv --reuid 65532 --regid 65532 --clear-groups --no-new-privs --bounding-set=-all '${NODE}' deploy/warm-up.ts`;
    await run('unshare', ['--mount', 'bash', '-c', script], { env });
  },
);
