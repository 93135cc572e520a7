import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ProcessLedger } from './process-ledger.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crier-ledger-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('what another run left behind is ended by the next, from the ledger alone', async () => {
  const folder = newFolder();
  const left = spawn('sleep', ['600'], { stdio: 'ignore' });
  await once(left, 'spawn');
  const exit = once(left, 'exit');
  new ProcessLedger(folder).add(left.pid!);

  const next = new ProcessLedger(folder);
  expect(next.running()).toEqual([left.pid]);
  expect(next.killAll()).toBe(1);
  expect(await exit).toEqual([null, 'SIGKILL']);
  expect(next.killAll()).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

test('a process that has the id of a former one is left alone', () => {
  const folder = newFolder();
  new ProcessLedger(folder).add(process.pid);
  const [name] = readdirSync(folder) as [string];
  renameSync(join(folder, name), join(folder, `${process.pid}-1`));
  expect(new ProcessLedger(folder).killAll()).toBe(0);
});
