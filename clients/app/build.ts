import { existsSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { env } from 'node:process';
import { compressFiles } from './build/compressed-files.ts';
import { withLock } from './build/lock.ts';
import { isUpToDate, writeStamp } from './build/stamp.ts';

// Builds the app when a file that went into it has changed since, which takes some seconds; else ends at once.
const ROOT = resolve(import.meta.dirname, '../..');
const BUILT = resolve(ROOT, '.cache/app');
// Vite keeps one that is set, such as that of a test which builds the app: React would be the one for developers, which
// is three times as slow.
env['NODE_ENV'] = 'production';
const isForced = process.argv.includes('--force');

if (isForced || !isUpToDate(ROOT, BUILT))
  await withLock(`${BUILT}.lock`, async () => {
    // Another process may have built it while this one waited.
    if (isForced || !isUpToDate(ROOT, BUILT)) await buildApp();
  });

async function buildApp(): Promise<void> {
  const { build } = await import('vite');
  const outDir = `${BUILT}-new`;
  const modules = new Set<string>();
  await build({
    configFile: resolve(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir },
    plugins: [
      {
        name: 'modules-of-the-build',
        generateBundle() {
          for (const id of this.getModuleIds()) modules.add(id);
        },
      },
    ],
  });
  const sizes = await compressFiles(outDir);
  writeStamp(ROOT, outDir, modules);
  // A process that starts meanwhile finds the former build, or none, but never half of one.
  const former = `${BUILT}-former`;
  rmSync(former, { recursive: true, force: true });
  if (existsSync(BUILT)) renameSync(BUILT, former);
  renameSync(outDir, BUILT);
  rmSync(former, { recursive: true, force: true });
  process.stdout.write(`${sizes}\n`);
}
