import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { linkImage } from '../../deploy/release/image-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** On the disk of the checkout, so that files are linked and not copied. */
const FOLDER = join(ROOT, '.cache', `image-${process.pid}`);
const IMAGE = join(FOLDER, 'crier');
const NODE = join(FOLDER, 'bin/node');
const run = promisify(execFile);

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

test(
  'the steps of the image make what starts without developers’ packages, as nobody, on a read-only root',
  { timeout: 300_000 },
  async () => {
    linkImage(ROOT, FOLDER);
    expect(existsSync(join(IMAGE, 'node_modules/vitest'))).toBe(false);

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
