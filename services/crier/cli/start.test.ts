import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDataFolder } from '#adapters/sqlite/data-folder.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-start-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The file says that a process is ready, as the one before left it. */
function settings() {
  const readyFile = join(folder, 'ready.json');
  writeFileSync(readyFile, '{"baseUrl":"http://127.0.0.1:1"}');
  const env = { CRIER_DATA_DIR: join(folder, 'data'), CRIER_READY_FILE: readyFile, CRIER_LOG_LEVEL: 'silent' };
  return { readyFile, env: { ...env, CRIER_PORT: '0', CRIER_ADMIN_PORT: '0', CRIER_SANDBOX_PORT: '0' } };
}

const failing = (env: Readonly<Record<string, string>>) =>
  promisify(execFile)(process.execPath, [MAIN, 'start'], { env }).then(
    () => null,
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );

test(
  'a process that is starting is not said to be ready by the file of the one before',
  { timeout: 300_000 },
  async () => {
    const { readyFile, env } = settings();
    const missing = join(folder, 'none.pem');
    const ended = await failing({ ...env, CRIER_TLS_CERT: missing, CRIER_TLS_KEY: missing });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('CRIER_TLS_CERT') });
    expect(existsSync(readyFile)).toBe(false);
  },
);

test('a start on the folder of a process that runs leaves the file of that one', { timeout: 300_000 }, async () => {
  const { readyFile, env } = settings();
  const lock = await lockDataFolder(env.CRIER_DATA_DIR);
  const ended = await failing(env);
  await lock.release();
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use by') });
  expect(readFileSync(readyFile, 'utf8')).toContain('127.0.0.1:1');
});
