import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { closedNetwork } from '#networks/contract/unavailable-network.ts';
import type { NetworkAdapter, PublishAnswer, ReconcileAnswer } from '#networks/contract/adapter.ts';
import { renditionOf } from '#testing/publication.ts';
import { postIdOfVariant, variantIdOf } from '#domain/post/ids.ts';
import { variantJobOf, type VariantJob } from './variant-attempts.ts';
import { openSandboxChannel } from './sandbox-channel.fixture.ts';
import { Throttle } from './throttle.ts';
import { openPublishHarness, publishOn, TEXT, type PublishHarness } from './publish-harness.fixture.ts';

const SUMMARY = { status: 200, detail: 'so it says' };
const MINUTE = 60_000;

async function verdictOf(attempts: PublishHarness): Promise<PublishHarness['concluded'][number]['verdict']> {
  const machine = attempts.worker();
  await machine.run(attempts.job);
  await attempts.settle(machine);
  return attempts.concluded.at(-1)!.verdict;
}

interface Scripted {
  readonly adapter: (real: NetworkAdapter) => NetworkAdapter;
  readonly handles: (string | null)[];
}

function scripted(publish: readonly PublishAnswer[], reconcile: readonly ReconcileAnswer[] = []): Scripted {
  const handles: (string | null)[] = [];
  let asked = 0;
  const adapter = (real: NetworkAdapter): NetworkAdapter => ({
    ...real,
    prepare: async (_publication, handle) => ({
      kind: 'ready',
      handle: handle ?? `made ${handles.length}`,
      summary: { status: 0, detail: '' },
    }),
    publish: async (_publication, handle) => (
      handles.push(handle),
      publish[Math.min(handles.length, publish.length) - 1]!
    ),
    reconcile: async () => reconcile[Math.min(asked++, reconcile.length - 1)]!,
  });
  return { adapter, handles };
}

describe('a Network that is still at work', () => {
  test('is asked again until it reports the outcome, and nothing is sent twice', async () => {
    const { adapter, handles } = scripted(
      [{ kind: 'accepted', delayMs: 5_000, summary: SUMMARY }],
      [
        { kind: 'processing', delayMs: 30_000, summary: SUMMARY },
        { kind: 'processing', delayMs: 30_000, summary: SUMMARY },
        { kind: 'published', remoteId: '1', permalink: null, summary: SUMMARY },
      ],
    );
    const attempts = await openPublishHarness('threads', { adapter });
    const start = attempts.clock.now();
    expect(await verdictOf(attempts)).toMatchObject({ kind: 'published', remoteId: '1', permalink: null });
    expect(handles).toHaveLength(1);
    expect(attempts.clock.now() - start).toBe(65_000);
    const steps = await attempts.ledger.attempts(attempts.job.variantId);
    expect(steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
      'publish accepted',
      'reconcile processing',
      'reconcile processing',
      'reconcile published',
    ]);
  });

  test('may refuse in the end, and the publication is then prepared anew once', async () => {
    const failure = { reason: 'media_problem', detail: 'bad file', retry: 'once', delayMs: 1_000 } as const;
    const { adapter, handles } = scripted(
      [{ kind: 'accepted', delayMs: 0, summary: SUMMARY }],
      [{ kind: 'failed', failure, handle: null, summary: SUMMARY }],
    );
    expect(await verdictOf(await openPublishHarness('threads', { adapter }))).toEqual({
      kind: 'failed',
      reason: 'media_problem',
      detail: 'bad file',
    });
    expect(handles).toEqual(['made 0', 'made 1']);
  });
});

describe('files', () => {
  const bytes = new TextEncoder().encode('a picture');
  const file = renditionOf(bytes, {
    kind: 'image',
    contentType: 'image/jpeg',
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  const seen: unknown[] = [];
  const adapter = (real: NetworkAdapter): NetworkAdapter => ({
    ...real,
    prepare: async ({ media, text }) => (
      seen.push([text, media.map(({ sha256 }) => sha256)]),
      { kind: 'ready', handle: 'h', summary: { status: 0, detail: '' } }
    ),
    publish: async () => ({ kind: 'published', remoteId: '1', permalink: null, summary: SUMMARY }),
  });

  test('that are being made are waited for, then handed over', async () => {
    let asked = 0;
    const renditions = {
      filesOf: async () =>
        asked++ < 2 ? ({ kind: 'pending', delayMs: MINUTE } as const) : ({ kind: 'ready', files: [file] } as const),
    };
    const attempts = await openPublishHarness('threads', { adapter, renditions });
    expect((await verdictOf(attempts)).kind).toBe('published');
    expect(seen).toEqual([[TEXT, [file.sha256]]]);
    expect(attempts.clock.now() - attempts.job.dueAt).toBe(2 * MINUTE);
  });

  test('that cannot be made fail the Variant, saying why', async () => {
    const renditions = { filesOf: async () => ({ kind: 'failed', detail: 'The video is broken.' }) as const };
    expect(await verdictOf(await openPublishHarness('threads', { adapter, renditions }))).toEqual({
      kind: 'failed',
      reason: 'media_problem',
      detail: 'The video is broken.',
    });
  });
});

/** The job of another Variant of the same Post. */
function variantAt(job: VariantJob, number: number): VariantJob {
  return variantJobOf({ ...job, variantId: variantIdOf(postIdOfVariant(job.variantId), number) });
}

describe('held back', () => {
  test('an attempt waits as long as headers ask, and uses up no retries', async () => {
    let calls = 0;
    const adapter = (real: NetworkAdapter): NetworkAdapter => ({
      ...real,
      publish: async () => (
        (calls += 1),
        calls === 1
          ? {
              kind: 'failed',
              failure: { reason: 'platform_problem', detail: 'busy', retry: 'later' },
              summary: { status: 503, detail: 'busy', pause: { scope: 'account', forMs: 10 * MINUTE } },
            }
          : { kind: 'published', remoteId: '1', permalink: null, summary: SUMMARY }
      ),
    });
    const attempts = await openPublishHarness('x', { adapter });
    expect((await verdictOf(attempts)).kind).toBe('published');
    expect(attempts.clock.now() - attempts.job.dueAt).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(calls).toBe(2);
  });

  test('an attempt waits for quota, and past its latest start fails with that reason', async () => {
    const budget = { account: [{ uses: 1, windowMs: 10 * MINUTE }], app: [], atOnce: 1 };
    const { adapter } = scripted([{ kind: 'published', remoteId: '1', permalink: null, summary: SUMMARY }]);
    const attempts = await openPublishHarness('x', { budget, adapter });
    const machine = attempts.worker();
    const second = variantAt(attempts.job, 2);
    const third = {
      ...variantAt(attempts.job, 3),
      latestStart: attempts.clock.now() + MINUTE,
    };
    await machine.run(attempts.job);
    await machine.run(third);
    await machine.run(second);
    expect(attempts.concluded.map(({ verdict }) => verdict)).toMatchObject([
      { kind: 'published' },
      { kind: 'failed', reason: 'rate_limited' },
    ]);
    await attempts.settle(machine);
    expect(attempts.concluded.at(-1)!.verdict.kind).toBe('published');
    expect(attempts.clock.now() - attempts.job.dueAt).toBeGreaterThanOrEqual(10 * MINUTE);
  });

  test('an open breaker admits probes only, and an attempt held back past its latest start fails with that reason', async () => {
    let sent = 0;
    const down: PublishAnswer = {
      kind: 'failed',
      failure: { reason: 'platform_problem', detail: 'down', retry: 'later' },
      summary: { status: 503, detail: 'down' },
    };
    const adapter = (real: NetworkAdapter): NetworkAdapter => ({ ...real, publish: async () => ((sent += 1), down) });
    const attempts = await openPublishHarness('x', { adapter });
    const machine = attempts.worker();
    for (let number = 1; number <= 8; number++) await machine.run(variantAt(attempts.job, number));
    expect(sent).toBe(8);
    const late = {
      ...variantAt(attempts.job, 9),
      latestStart: attempts.clock.now() + 1_000,
    };
    await machine.run(late);
    expect(sent).toBe(8);
    expect(attempts.concluded).toEqual([
      {
        attempt: 1,
        verdict: { kind: 'failed', reason: 'platform_problem', detail: expect.stringContaining('all failed') },
      },
    ]);
  });
});

const useOf = (accountId: string, variantId: string) => ({ accountId, variantId, workspaceId: 'w' });

test('a Variant that failed for want of an allowance keeps none of its account waiting once there is one', async () => {
  const attempts = await openPublishHarness('youtube');
  const { clock, job, accountId } = attempts;
  const ids = createSeededIds(5);
  const store = createMemoryTableStore({ clock });
  const budget = { account: [], app: [{ uses: 2, windowMs: 24 * 60 * MINUTE }], atOnce: 1 };
  const throttle = new Throttle({ network: 'youtube', budget, store, clock, ids, reporter: createMemoryReporter() });
  expect([await throttle.take(useOf('other', 'a')), await throttle.take(useOf('other', 'b'))]).toEqual([null, null]);
  const { adapter } = scripted([]);
  const machine = attempts.worker(undefined, { throttle, adapter: adapter({ network: 'youtube' } as NetworkAdapter) });
  await machine.run(job);
  expect(attempts.concluded).toMatchObject([{ verdict: { kind: 'failed', reason: 'rate_limited' } }]);
  await clock.advance(24 * 60 * MINUTE + 2 * MINUTE);
  expect(await throttle.take(useOf('other', 'c')), 'the allowance is there again').toBeNull();
  expect(await throttle.take(useOf(accountId, 'the next one'))).toBeNull();
});

test('Variants on a Network without an app end for want of it, not as if it were out of order', async () => {
  const channel = await openSandboxChannel('threads');
  const { clock, store } = channel;
  const budget = { account: [], app: [], atOnce: 64 };
  const reporter = createMemoryReporter();
  const throttle = new Throttle({ network: 'threads', budget, store, clock, ids: createSeededIds(5), reporter });
  const adapter = (): NetworkAdapter => closedNetwork('threads');
  const ended: string[] = [];
  for (let each = 0; each < 20; each++) {
    const attempts = publishOn(channel, { adapter });
    const machine = attempts.worker(undefined, { throttle });
    // Late, so that none is tried again.
    await machine.run({ ...attempts.job, latestStart: clock.now() });
    await clock.advance(1);
    ended.push(...attempts.concluded.map(({ verdict }) => (verdict.kind === 'failed' ? verdict.detail : verdict.kind)));
  }
  expect(new Set(ended)).toEqual(new Set([expect.stringContaining('has no app there')]));
  expect(ended).toHaveLength(20);
});
