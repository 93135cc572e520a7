import { describe, expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { NETWORKS, type Network, type Placement } from '#domain/network.ts';
import { instantOf, postIdOfVariant } from '#domain/post/ids.ts';
import { wasFirstDueMeanwhile, type OverdueChoice, type Restoration } from '#domain/restoration.ts';
import { fixtureRenditions, type FixtureName } from '#testing/media-fixtures.ts';
import { createLedger, type Arm, type ArmRow, type Evidence, type Ledger } from '#tables/repositories/ledger.ts';
import { createLiveItems, type LiveItems } from '#tables/repositories/live-items.ts';
import type { Brake } from '#tables/repositories/publishing-brake.ts';
import { openPublishHarness, TEXT, type PublishHarness } from './publish-harness.fixture.ts';
import type { VariantJob } from './variant-attempts.ts';

const HOUR = 3_600_000;
const WAS_RESTORED = 'Crier was restored from a backup';
/** What a Post needs where a text alone is not taken. */
const FILES: Readonly<Partial<Record<Network, readonly FixtureName[]>>> = {
  instagram: ['photo'],
  youtube: ['film'],
  tiktok: ['film'],
};

interface About {
  readonly files?: readonly FixtureName[];
  readonly text?: string;
  readonly placement?: Placement;
}

/** A Network with an account, and a Variant that an installation is to publish. */
function open(network: Network, { files = FILES[network] ?? [], ...about }: About = {}): Promise<PublishHarness> {
  const source = { filesOf: async () => ({ kind: 'ready', files: fixtureRenditions(files) }) as const };
  return openPublishHarness(network, { ...about, ...(files.length > 0 && { renditions: source }) });
}

interface Copy {
  readonly ledger: Ledger;
  readonly liveItems: LiveItems;
}

/** An installation with the ledger that the backup has of the Variant. */
async function restoredFrom(
  attempts: PublishHarness,
  { arm, evidence }: { readonly arm: ArmRow | null; readonly evidence: readonly Evidence[] } = NOTHING,
): Promise<Copy> {
  const store = createMemoryTableStore({ clock: attempts.clock });
  const ledger = createLedger(store);
  const { variantId } = attempts.job;
  if (arm !== null) await ledger.moveArm(variantId, null, { ...arm } satisfies Arm, 'restored');
  for (const each of evidence) await ledger.writeEvidence(variantId, each);
  return { ledger, liveItems: createLiveItems(store) };
}

const NOTHING = { arm: null, evidence: [] };

/** The other installation publishes the job to its end. */
async function publishedByOther(attempts: PublishHarness, job: VariantJob): Promise<void> {
  const store = createMemoryTableStore({ clock: attempts.clock });
  const machine = attempts.worker(undefined, { ledger: createLedger(store), liveItems: createLiveItems(store) });
  await machine.run(job);
  await attempts.settle(machine);
}

/** As an hour later, when the copy was released; or `afterMs` later. */
async function releasedBy(
  attempts: PublishHarness,
  overdue: OverdueChoice,
  backupAt: number,
  afterMs = HOUR,
): Promise<Brake> {
  await attempts.clock.advance(afterMs);
  const at = attempts.clock.now();
  const restoration: Restoration = { backupAt, restoredAt: at - 60_000, released: { overdue, at, by: 'operator' } };
  const periods = [{ network: null, workspaceId: null, from: backupAt, until: at }];
  const known = async () => ({ holds: [], periods, restoration });
  return { known, knownFromNowOn: known };
}

async function run(attempts: PublishHarness, job: VariantJob, options: Copy & { readonly brake: Brake }) {
  const machine = attempts.worker(undefined, options);
  await machine.run(job);
  await attempts.settle(machine);
  return attempts.concluded.at(-1)!.verdict;
}

describe.each(NETWORKS)('%s', (network) => {
  test('what the other installation published is found and told as that, what it did not is published, once', async () => {
    for (const wasPublished of [true, false]) {
      const attempts = await open(network);
      const backupAt = attempts.clock.now();
      if (wasPublished) await publishedByOther(attempts, attempts.job);
      const brake = await releasedBy(attempts, 'ask', backupAt);
      const copy = await restoredFrom(attempts);
      const told = attempts.concluded.at(-1)?.verdict;
      const verdict = await run(attempts, attempts.job, { ...copy, brake });
      expect(verdict, JSON.stringify(verdict)).toMatchObject({ kind: 'published' });
      if (wasPublished) expect(verdict).toMatchObject({ remoteId: (told as { remoteId: string }).remoteId });
      expect(await attempts.live(), `published before: ${wasPublished}`).toHaveLength(1);
    }
  });
});

describe.each(['x', 'threads', 'facebook', 'youtube'] as const)('%s', (network) => {
  test('whichever step of an attempt the backup was taken at, it is live once and its status is true', async () => {
    const steps: string[] = [];
    const whole = await open(network);
    const free = whole.worker(async (step) => void steps.push(step));
    await free.run(whole.job);
    await whole.settle(free);
    for (const [index, name] of steps.entries()) {
      const attempts = await open(network);
      const { variantId } = attempts.job;
      let backup: Parameters<typeof restoredFrom>[1] = NOTHING;
      let count = 0;
      const other = attempts.worker(async () => {
        if (count++ !== index) return;
        backup = { arm: await attempts.ledger.readArm(variantId), evidence: await attempts.ledger.attempts(variantId) };
      });
      await other.run(attempts.job);
      await attempts.settle(other);
      const brake = await releasedBy(attempts, 'ask', attempts.job.dueAt);
      const copy = await restoredFrom(attempts, backup);
      const verdict = await run(attempts, attempts.job, { ...copy, brake });
      expect(verdict, name).toMatchObject({ kind: 'published' });
      expect(await attempts.live(), name).toHaveLength(1);
    }
  });
});

test('a video that tiktok moderates for a while, and lists after that, is not published again', async () => {
  const attempts = await open('tiktok');
  const backupAt = attempts.clock.now();
  await attempts.fault('moderation_hold', { call: 'video.upload' });
  await publishedByOther(attempts, attempts.job);
  const brake = await releasedBy(attempts, 'ask', backupAt, 1_000);
  const verdict = await run(attempts, attempts.job, { ...(await restoredFrom(attempts)), brake });
  expect(await attempts.live()).toHaveLength(1);
  expect(verdict).toMatchObject({ kind: 'published' });
});

describe('what nobody can tell is unconfirmed, with words that say why', () => {
  test.each([
    ['a Story', 'instagram', { placement: 'story', files: ['photo'] }],
    ['a picture without words', 'x', { files: ['photo'], text: '' }],
    ['a picture without words', 'facebook', { files: ['photo'], text: '' }],
  ] as const)('%s on %s', async (_what, network, about) => {
    const attempts = await open(network, about);
    const backupAt = attempts.clock.now();
    await publishedByOther(attempts, attempts.job);
    const brake = await releasedBy(attempts, 'ask', backupAt);
    const verdict = await run(attempts, attempts.job, { ...(await restoredFrom(attempts)), brake });
    expect(verdict).toMatchObject({ kind: 'unconfirmed', detail: expect.stringContaining(WAS_RESTORED) });
    expect(await attempts.live()).toHaveLength(1);
  });

  test('a Channel that has to be reconnected; after that a retry of a Member asks', async () => {
    const attempts = await open('x');
    const backupAt = attempts.clock.now();
    await publishedByOther(attempts, attempts.job);
    const brake = await releasedBy(attempts, 'ask', backupAt);
    const copy = await restoredFrom(attempts);
    const firstDueAt = async () => attempts.job.dueAt;
    const tokensFor = async () => ({ kind: 'needs_reconnect', detail: 'signed out' }) as const;
    const cut = attempts.worker(undefined, { ...copy, brake, firstDueAt, tokensFor });
    await cut.run(attempts.job);
    expect(attempts.concluded.at(-1)!.verdict).toMatchObject({ kind: 'unconfirmed' });
    expect(attempts.marked).toEqual(['needs_reconnect']);
    const machine = attempts.worker(undefined, { ...copy, brake, firstDueAt });
    await attempts.clock.advance(60_000);
    await machine.run(attempts.retry());
    await attempts.settle(machine);
    expect(attempts.concluded.at(-1)!.verdict).toMatchObject({ kind: 'published' });
    expect(await attempts.live()).toEqual([TEXT]);
  });
});

test('of two that say the same and of which one is live, one is reported as that, and the other is not', async () => {
  for (const network of ['x', 'threads', 'facebook'] as const) {
    const attempts = await open(network);
    const { job } = attempts;
    const twin = { ...job, variantId: `${job.variantId.slice(0, -2)}02`, ledgerId: `${job.variantId.slice(0, -2)}02` };
    const backupAt = attempts.clock.now();
    await publishedByOther(attempts, job);
    const brake = await releasedBy(attempts, 'ask', backupAt);
    const copy = await restoredFrom(attempts);
    const verdicts = [await run(attempts, twin, { ...copy, brake }), await run(attempts, job, { ...copy, brake })];
    const ids = verdicts.map((verdict) => (verdict.kind === 'published' ? verdict.remoteId : verdict.detail));
    expect(new Set(ids).size, JSON.stringify(ids)).toBe(2);
    // X takes no post twice, and says so.
    expect(verdicts.map(({ kind }) => kind)).toEqual(['published', network === 'x' ? 'failed' : 'published']);
    expect(await attempts.live(), network).toHaveLength(network === 'x' ? 1 : 2);
  }
});

test('of two that say the same and are both live, nobody can tell which is which', async () => {
  const attempts = await open('threads');
  const { job } = attempts;
  const twin = { ...job, variantId: `${job.variantId.slice(0, -2)}02`, ledgerId: `${job.variantId.slice(0, -2)}02` };
  const backupAt = attempts.clock.now();
  for (const each of [job, twin]) await publishedByOther(attempts, each);
  const brake = await releasedBy(attempts, 'ask', backupAt);
  const copy = await restoredFrom(attempts);
  for (const each of [job, twin])
    expect(await run(attempts, each, { ...copy, brake })).toMatchObject({ kind: 'unconfirmed' });
  expect(await attempts.live()).toHaveLength(2);
});

test("by an operator's choice it fails, and says that it may be live; a retry of a Member asks", async () => {
  const attempts = await open('x');
  const backupAt = attempts.clock.now();
  await publishedByOther(attempts, attempts.job);
  const brake = await releasedBy(attempts, 'fail', backupAt);
  const copy = await restoredFrom(attempts);
  const firstDueAt = async () => attempts.job.dueAt;
  const machine = attempts.worker(undefined, { ...copy, brake, firstDueAt });
  const asked = attempts.requests.length;
  await machine.run(attempts.job);
  expect(attempts.concluded.at(-1)!.verdict).toMatchObject({
    kind: 'unconfirmed',
    detail: expect.stringMatching(/restored.*chose not to publish.*may be live/),
  });
  expect(attempts.requests).toHaveLength(asked);
  await attempts.clock.advance(60_000);
  await machine.run(attempts.retry());
  await attempts.settle(machine);
  expect(attempts.concluded.at(-1)!.verdict).toMatchObject({ kind: 'published' });
  expect(await attempts.live()).toEqual([TEXT]);
});

test('what came due in a copy that was held until its own backup may be live, and a later attempt asks', async () => {
  const attempts = await open('threads');
  const { dueAt } = attempts.job;
  await publishedByOther(attempts, attempts.job);
  await attempts.clock.advance(HOUR);
  const backupAt = attempts.clock.now();
  const { known } = await releasedBy(attempts, 'ask', backupAt);
  const read = async () => {
    const { restoration, ...holds } = await known(0);
    return { ...holds, restoration: { ...restoration!, unknownSince: dueAt } };
  };
  const brake: Brake = { known: read, knownFromNowOn: read };
  const copy = await restoredFrom(attempts);
  const firstDueAt = async (_job: unknown, restoration: Restoration) =>
    wasFirstDueMeanwhile(restoration, dueAt) ? dueAt : null;
  await attempts.clock.advance(HOUR);
  const later = { ...attempts.job, dueAt: attempts.clock.now(), latestStart: attempts.clock.now() + HOUR };
  const machine = attempts.worker(undefined, { ...copy, brake, firstDueAt });
  await machine.run(later);
  await attempts.settle(machine);
  expect(await attempts.live()).toEqual([TEXT]);
  expect(attempts.concluded.at(-1)!.verdict).toMatchObject({ kind: 'published' });
});

test.each([1, 4_000, 30_000, 90_000])(
  'a retry of a Member %i ms after the release asks about the first attempt, whatever the operator chose',
  async (afterMs) => {
    for (const overdue of ['ask', 'fail'] as const) {
      const attempts = await open('x');
      const backupAt = attempts.clock.now();
      const { dueAt } = attempts.job;
      await publishedByOther(attempts, attempts.job);
      const brake = await releasedBy(attempts, overdue, backupAt);
      await attempts.clock.advance(afterMs);
      const machine = attempts.worker(undefined, {
        ...{ ...(await restoredFrom(attempts)), brake, firstDueAt: async () => dueAt },
      });
      await machine.run(attempts.retry());
      await attempts.settle(machine);
      expect(attempts.concluded.at(-1)!.verdict, overdue).toMatchObject({ kind: 'published' });
      expect(await attempts.live(), overdue).toEqual([TEXT]);
    }
  },
);

test.each([13_000, 45_000])(
  'a Post that an ingress made whose clock led by %i ms, just before the backup, may be live, and is asked about',
  async (leadMs) => {
    const attempts = await open('threads');
    const { job } = attempts;
    const backupAt = instantOf(postIdOfVariant(job.variantId)) - leadMs;
    await publishedByOther(attempts, job);
    const brake = await releasedBy(attempts, 'ask', backupAt);
    const verdict = await run(attempts, job, { ...(await restoredFrom(attempts)), brake });
    expect(await attempts.live()).toEqual([TEXT]);
    expect(verdict).toMatchObject({ kind: 'published' });
  },
);

test('so may what a scheduler whose clock led fired before the restore, though it is due after the release', async () => {
  const attempts = await open('threads');
  const dueAt = attempts.clock.now() + 25_000;
  await publishedByOther(attempts, attempts.job);
  const brake = await releasedBy(attempts, 'ask', attempts.clock.now(), 10_000);
  await attempts.clock.advance(15_000);
  const job = { ...attempts.job, dueAt, latestStart: dueAt + HOUR };
  await run(attempts, job, { ...(await restoredFrom(attempts)), brake });
  expect(await attempts.live()).toEqual([TEXT]);
});

test("by an operator's choice it is published without asking; what is due later never was asked about", async () => {
  const attempts = await open('threads');
  const backupAt = attempts.clock.now();
  await publishedByOther(attempts, attempts.job);
  const brake = await releasedBy(attempts, 'publish', backupAt);
  await run(attempts, attempts.job, { ...(await restoredFrom(attempts)), brake });
  expect(await attempts.live()).toEqual([TEXT, TEXT]);
  const later = await open('x');
  const asking = await releasedBy(later, 'ask', later.clock.now());
  const due = { ...later.job, dueAt: later.clock.now() + HOUR, latestStart: later.clock.now() + 2 * HOUR };
  await later.clock.advance(HOUR);
  await run(later, due, { ...(await restoredFrom(later)), brake: asking });
  expect(later.requests.filter((request) => /GET .*tweets/.test(request))).toEqual([]);
});

test('while a restore holds everything, an attempt that was armed in the backup is given back, not given up', async () => {
  const attempts = await open('x');
  const { job, clock } = attempts;
  const { variantId } = job;
  let backup: Parameters<typeof restoredFrom>[1] = NOTHING;
  const other = attempts.worker(async (step) => {
    if (!/^before POST .*\/tweets$/.test(step)) return;
    backup = { arm: await attempts.ledger.readArm(variantId), evidence: [] };
  });
  await other.run(job);
  expect(backup.arm).toMatchObject({ stage: 'armed' });
  const copy = await restoredFrom(attempts, backup);
  await clock.advance(HOUR);
  const restoration = { backupAt: job.dueAt, restoredAt: clock.now(), released: null };
  const periods = [{ network: null, workspaceId: null, from: job.dueAt, until: null }];
  const known = async () => ({ holds: [], periods, restoration });
  const held: Brake = { known, knownFromNowOn: known };
  const machine = attempts.worker(undefined, { ...copy, brake: held });
  const concluded = attempts.concluded.length;
  await machine.run(job);
  await attempts.settle(machine);
  expect([attempts.givenBack, attempts.concluded.length]).toEqual([[1], concluded]);
  const brake = await releasedBy(attempts, 'ask', job.dueAt);
  expect(await run(attempts, { ...job, attempt: 2 }, { ...copy, brake })).toMatchObject({ kind: 'published' });
  expect(await attempts.live()).toEqual([TEXT]);
});
