import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { type Network, NETWORKS } from '#domain/network.ts';
import { tokenHashOf } from '#services/ingress/authenticate.ts';
import {
  openIngressHarness,
  IngressWorld,
  type HarnessAnswer,
  type IngressHarness,
} from '#services/ingress/ingress-harness.fixture.ts';
import { watchLoop } from '#testing/loop-watch.ts';
import { openMemoryWorld, type MemoryWorld } from './memory-world.ts';

/**
 * The longest turn of the event loop that one request may cause, in milliseconds of processor time. The work of a legal
 * request yields after ten; the rest is room for a garbage collection, for reading a body of 1 MB (up to 240 here), and
 * for cores that other processes slow down. What does not yield takes seconds for the worst of these texts.
 */
const MAX_AT_A_STRETCH_MS = 750;
const CHANNELS = 100;
const MAX_BYTES = 1_000_000;

interface Tenant {
  readonly key: string;
  readonly channels: readonly string[];
}

let world: MemoryWorld;
let door: IngressHarness;
let attacker: Tenant;
let victim: Tenant;

async function tenant(name: string, networks: readonly Network[]): Promise<Tenant> {
  const { ids, clock } = world.ports;
  const uuid = (): string => ids.uuid7(clock.now());
  const { workspaceId } = await world.workspace(name);
  const state = await world.factory.ingressPorts.workspaces.state(workspaceId);
  const key = `crier_${ids.token()}`;
  await world.ask({
    type: 'CreateKey',
    workspaceId,
    keyId: uuid(),
    memberId: Object.keys(state!.members)[0]!,
    name: 'a key',
    permissions: ['posts:publish'],
    tokenHash: tokenHashOf(key),
  });
  const channels = networks.map(uuid);
  for (const [index, network] of networks.entries()) {
    const channelId = channels[index]!;
    const { result } = await world.ask({
      type: 'ConnectChannel',
      workspaceId,
      channelId,
      network,
      name: `${network} ${index}`,
      avatarUrl: null,
      accountId: channelId,
      kind: network === 'x' && index % 2 === 0 ? 'premium' : '',
    });
    expect(result.ok).toBe(true);
  }
  return { key, channels };
}

beforeAll(async () => {
  world = await openMemoryWorld({ connected: [] });
  door = await openIngressHarness(new IngressWorld(createMemoryClock()), world.factory.ingressPorts);
  attacker = await tenant(
    'attacker',
    Array.from({ length: CHANNELS }, (_, index) => NETWORKS[index % NETWORKS.length]!),
  );
  victim = await tenant('victim', ['x', 'threads']);
});
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const inAnHour = (): string => new Date(world.clock.now() + 3_600_000).toISOString();
const bulkOf = (count: number, text: (index: number) => string, more: object = {}): string =>
  JSON.stringify({
    posts: Array.from({ length: count }, (_, index) => ({
      text: text(index),
      channelIds: attacker.channels,
      scheduledAt: inAnHour(),
      ...more,
    })),
  });
/** Each Channel has a different option, so that each is validated separately. */
const differing = (): object =>
  Object.fromEntries(attacker.channels.map((id, index) => [id, { youtube: { title: `${index}` } }]));
const lengthen = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

// [name, path, body, the answer's status, that of its items]
const ATTACKS: readonly (readonly [string, string, () => string, readonly number[]])[] = [
  [
    'marks without end, validated',
    '/api/posts/validate',
    () => JSON.stringify({ text: `a${lengthen('\u0315\u0300', 99_990)}`, channelIds: attacker.channels }),
    [400],
  ],
  [
    'marks without end, in bulk',
    '/api/posts/bulk?dryRun=true',
    () => bulkOf(5, () => lengthen('\u0300', 94_000)),
    [200, 400],
  ],
  [
    'marks in runs of thirty, in bulk',
    '/api/posts/bulk?dryRun=true',
    () => bulkOf(5, (index) => `${index}${lengthen(`a${'\u0315\u0300'.repeat(15)}`, 94_000)}`),
    [200, 422],
  ],
  [
    'addresses, in bulk',
    '/api/posts/bulk?dryRun=true',
    () => bulkOf(9, (index) => `${index} ${lengthen('http://a.com/(a)', 99_990)}`),
    [200, 422],
  ],
  ['dots, in bulk', '/api/posts/bulk?dryRun=true', () => bulkOf(9, () => lengthen('a.', 99_990)), [200, 422]],
  [
    'emoji, in bulk',
    '/api/posts/bulk?dryRun=true',
    () => bulkOf(4, () => lengthen('👩‍👩‍👧', 70_000).toWellFormed()),
    [200, 422],
  ],
  [
    'Thai without a space, in bulk',
    '/api/posts/bulk?dryRun=true',
    () => bulkOf(3, () => lengthen('กขค', 99_990)),
    [200, 422],
  ],
  [
    'spaces, and an option for each Channel',
    '/api/posts/validate',
    () =>
      JSON.stringify({ text: lengthen(' \u200b', 99_990), channelIds: attacker.channels, channelOptions: differing() }),
    [200],
  ],
  [
    'a text with an option for each Channel',
    '/api/posts/validate',
    () =>
      JSON.stringify({ text: lengthen('a.com ', 99_990), channelIds: attacker.channels, channelOptions: differing() }),
    [200],
  ],
  [
    'a hundred Posts for a hundred Channels, judged',
    '/api/posts/bulk?dryRun=true',
    () => bulkOf(100, (index) => `${index} ${lengthen('é.com ', 3_500)}`),
    [200, 422],
  ],
  [
    'a hundred Posts for a hundred Channels, made',
    '/api/posts/bulk',
    () =>
      bulkOf(100, (index) => `${index}`, {
        channelIds: attacker.channels.filter((_, each) =>
          ['threads', 'facebook'].includes(NETWORKS[each % NETWORKS.length]!),
        ),
      }),
    [200, 201],
  ],
  [
    'options under names that are no ids',
    '/api/posts/validate',
    () =>
      JSON.stringify({
        text: 'a',
        channelIds: attacker.channels,
        channelOptions: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [index.toString(36), 0])),
      }),
    [400],
  ],
];

/** Another tenant's requests, one after the other, as long as the work lasts. */
async function meanwhile<T>(work: Promise<T>): Promise<{ readonly done: T; readonly waitedMs: readonly number[] }> {
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  const waitedMs: number[] = [];
  for (let asked = 0; !over || asked < 3; asked++) {
    const begun = performance.now();
    const answer = await door.call('POST', '/api/posts/validate', {
      key: victim.key,
      body: { text: 'Good morning', channelIds: victim.channels, scheduledAt: inAnHour() },
    });
    expect(answer.body.data).toMatchObject({ ok: true });
    waitedMs.push(performance.now() - begun);
  }
  return { done: await done, waitedMs };
}

test.each(ATTACKS)('%s: no other tenant is delayed', async (what, path, body, [status, itemStatus]) => {
  const sent = Buffer.from(body());
  expect(sent.length).toBeLessThanOrEqual(MAX_BYTES);
  const loop = watchLoop();
  const { done, waitedMs } = await meanwhile<HarnessAnswer>(door.call('POST', path, { key: attacker.key, body: sent }));
  loop.stop();
  const p99 = waitedMs.toSorted((a, b) => a - b)[Math.floor(waitedMs.length * 0.99)]!;
  process.stdout.write(
    `${what}: ${sent.length} bytes; longest turn ${loop.longestMs().toFixed(0)} ms; ${waitedMs.length} requests of another tenant meanwhile, p99 ${p99.toFixed(0)} ms\n`,
  );
  expect(done.status).toBe(status);
  if (itemStatus !== undefined)
    expect(new Set(done.body.data.map((item: HarnessAnswer) => item.status))).toEqual(new Set([itemStatus]));
  expect(loop.longestMs()).toBeLessThan(MAX_AT_A_STRETCH_MS);
});
