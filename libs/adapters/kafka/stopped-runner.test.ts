import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const CHILD = join(import.meta.dirname, 'stopped-consumer.child.ts');
/** One that ends takes a second of processor. */
const ENDLESS_MS = 60_000;

test('a consumer that is stopped as its brokers change ends, and so leaves its process able to do anything else', async () => {
  const ended = await promisify(execFile)(process.execPath, [CHILD], { timeout: ENDLESS_MS, killSignal: 'SIGKILL' });
  expect(ended.stdout).toBe('stopped\n');
});
