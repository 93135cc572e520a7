import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createHarness, signInThreads, signInX, type SignedIn } from './sandbox.fixture.ts';
import { createSqliteStore } from './store/sqlite-store.ts';

const POSTS = 2_000;
const ACCOUNTS = 40;

/** Printed for developers of the store; a machine's speed is no property of the code. */
test('a burst of posts at one instant all goes live, and prints its rate', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-throughput-'));
  const clock = createSystemClock();
  const store = createSqliteStore(join(folder, 'sandbox.db'), clock);
  const harness = createHarness({ store });
  await harness.ask('POST', '/sandbox/timing', { json: { network: 'threads', factor: 0 } });
  const people: (readonly [SignedIn, SignedIn])[] = [];
  for (let i = 0; i < ACCOUNTS; i++) people.push([await signInX(harness), await signInThreads(harness)]);
  const burst = async (name: string, publish: (index: number) => Promise<unknown>) => {
    const cpu = process.cpuUsage();
    const started = clock.monotonic();
    await Promise.all(Array.from({ length: POSTS }, (_, index) => publish(index)));
    const used = process.cpuUsage(cpu);
    const cpuMs = (used.user + used.system) / 1000;
    console.log(
      `${name}: ${Math.round((POSTS / (clock.monotonic() - started)) * 1000)} publishes/s; ${Math.round((cpuMs / POSTS) * 1000)} us of processor each`,
    );
  };
  await burst('x', (index) =>
    harness.ask('POST', '/sim/x/2/tweets', {
      token: people[index % ACCOUNTS]![0].token,
      json: { text: `post ${index} https://example.com/${index}` },
    }),
  );
  await burst('threads', async (index) => {
    const { token } = people[index % ACCOUNTS]![1];
    const { body } = await harness.ask('POST', '/sim/threads/v1.0/me/threads', {
      token,
      form: { media_type: 'TEXT', text: `post ${index}` },
    });
    await harness.ask('POST', '/sim/threads/v1.0/me/threads_publish', { token, form: { creation_id: body.id } });
  });
  expect((await harness.ask('GET', '/sandbox/items')).body.items.length).toBe(2 * POSTS);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
