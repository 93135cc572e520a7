import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CRIER, CrierUnderTest } from '#testing/crier-process.ts';
import { inheritedEnvironment } from '#testing/engines/environment.ts';
import { judgeRestored, restoredWorld, UNHINDERED } from './restored.ts';

const run = promisify(execFile);

/** Runs a command of an operator; rejects unless it ends well. */
const crier = async (...args: readonly string[]): Promise<string> =>
  (await run(CRIER, [...args], { env: inheritedEnvironment() })).stdout;

test(
  'a backup restored is held; released by asking, nothing is live twice and each Post tells the truth',
  { timeout: 600_000 },
  async ({ annotate }) => {
    await using networks = await CrierUnderTest.start({ name: 'networks', env: UNHINDERED });
    const env = { ...UNHINDERED, CRIER_SANDBOX_URL: networks.ready.sandboxUrl! };
    await using original = await CrierUnderTest.start({ name: 'original', env });
    await using restored = await CrierUnderTest.make({ name: 'restored', env });
    const file = `${original.dataDir}.tar`;
    const site = {
      networks,
      original,
      backUp: async () => {
        rmSync(file, { force: true });
        await crier('backup', `--to=${file}`, '--with-files', `--data-dir=${original.dataDir}`);
        expect(await crier('backup', `--verify=${file}`)).toContain('It is whole.');
      },
      restore: async () => {
        await crier('restore', `--from=${file}`, `--data-dir=${restored.dataDir}`);
        await restored.start();
        return restored;
      },
    };
    const world = await restoredWorld(site);
    await restored.admin().call('publishing.release', { restored: { overdue: 'ask' } });
    const counts = await judgeRestored(site, world);
    await annotate(JSON.stringify(counts));
  },
);
