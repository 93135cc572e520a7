import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createSystemClock } from '#adapters/system/clock.ts';

// Starts Crier on an empty folder and ends it once it is ready. Node then writes what it compiled where
// NODE_COMPILE_CACHE says, and an image that can not start is not built.
const START = resolve(import.meta.dirname, '../services/crier/cli/main.ts');
const LONGEST_MS = 120_000;
const LOOK_MS = 100;

const clock = createSystemClock();
const folder = mkdtempSync(join(tmpdir(), 'crier-warm-up-'));
const readyFile = join(folder, 'ready.json');
const ports = ['--port=0', '--admin-port=0', '--sandbox-port=0'];
const child = spawn(
  process.execPath,
  [START, 'start', `--data-dir=${join(folder, 'data')}`, `--ready-file=${readyFile}`, ...ports],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
const ended = new Promise<number>((done) => child.once('exit', (code) => done(code ?? 1)));
const until = clock.now() + LONGEST_MS;
while (!existsSync(readyFile) && child.exitCode === null && clock.now() < until) await clock.sleep(LOOK_MS);
const isReady = existsSync(readyFile);
child.kill('SIGTERM');
const code = await ended;
rmSync(folder, { recursive: true });
if (!isReady || code !== 0) {
  process.stderr.write(`Crier was ${isReady ? `ready, and ended with ${code}` : 'not ready'}\n`);
  process.exitCode = 1;
}
