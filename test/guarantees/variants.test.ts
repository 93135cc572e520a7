import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { PostJson, VariantJson } from '#testing/crier-clients.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { until } from '#testing/until.ts';

type Network = 'x' | 'threads';

let crier: CrierUnderTest;
let ours: TestWorkspace;
let aheadMs = 0;

beforeAll(async () => {
  crier = await CrierUnderTest.start({ env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
  ours = await foundWorkspace(crier, 'ours');
});
afterAll(() => crier[Symbol.asyncDispose]());
afterEach(() => crier.sandbox().clearFaults());

const api = () => crier.api(ours.apiKey);
const publish = (text: string, networks: readonly Network[] = ['x', 'threads']): Promise<PostJson> =>
  api().createPost({ text, channelIds: networks.map((network) => ours.channels[network]) });
const schedule = (text: string, inMinutes: number): Promise<PostJson> =>
  api().createPost({
    text,
    channelIds: Object.values(ours.channels),
    scheduledAt: new Date(Date.now() + aheadMs + inMinutes * 60_000).toISOString(),
  });
const live = async (text: string): Promise<string[]> =>
  (await crier.sandbox().items())
    .filter((item) => item.text === text)
    .map(({ network }) => network)
    .toSorted();

async function advance(minutes: number): Promise<void> {
  await crier.admin().advance(minutes * 60_000);
  aheadMs += minutes * 60_000;
}

/** The Variant of a Network once it is `status`. */
function becomes(post: PostJson, network: Network, status: VariantJson['status']): Promise<VariantJson> {
  const look = async (): Promise<VariantJson> =>
    (await api().getPost(post.id)).variants.find((variant) => variant.network === network)!;
  return until(
    async () => {
      const variant = await look();
      return variant.status === status ? variant : null;
    },
    { what: `${post.text} ${status} on ${network}` },
  );
}

async function becomeAll(post: PostJson, status: VariantJson['status']): Promise<void> {
  await becomes(post, 'x', status);
  await becomes(post, 'threads', status);
}

const credits = async (): Promise<{ available: number; reserved: number }> => (await api().usage()).xCredits;

describe('a Variant', () => {
  test('of a cancelled Post is never published, its credit is given back, its quota not', async () => {
    const [before, { used }] = [await credits(), await api().usage()];
    const post = await schedule('cancelled', 20);
    expect(await credits()).toEqual({ available: before.available - 1, reserved: before.reserved + 1 });
    expect((await api().cancelPost(post.id)).variants.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect((await api().send('POST', `/api/posts/${post.id}/cancel`)).body.error.code).toBe('not_cancellable');
    // Before time is moved, which may end the month.
    expect((await api().usage()).used.postsPerMonth).toBe(used.postsPerMonth + 1);
    await advance(25);
    expect((await api().getPost(post.id)).variants.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(await live('cancelled')).toEqual([]);
    expect(await credits()).toEqual(before);
  });

  test('that its Network refused says why; a retry publishes it, with the credit that was given back', async () => {
    const before = await credits();
    await crier.sandbox().fault({ network: 'x', fault: 'account_restricted', reason: 'locked' });
    const post = await publish('refused at first', ['x']);
    const failed = await becomes(post, 'x', 'failed');
    expect(failed.failureReason).not.toBe('unconfirmed');
    expect(failed.failureDetail).toMatch(/locked/);
    expect(await credits()).toEqual(before);
    // The owner of the locked account has signed in again by now.
    await crier.admin().call('channels.connectSandbox', {
      workspaceId: ours.workspaceId,
      network: 'x',
      name: 'ours on x',
      channelId: ours.channels.x,
    });
    expect(['scheduled', 'publishing', 'published']).toContain((await api().retryVariant(failed.id)).status);
    await becomes(post, 'x', 'published');
    expect(await live('refused at first')).toEqual(['x']);
    expect(await credits()).toEqual({ available: before.available - 1, reserved: before.reserved });
    expect((await api().send('POST', `/api/variants/${failed.id}/retry`)).body.error.code).toBe('not_retryable');
  });

  test.each([
    ['x', 'rate_limited'],
    ['threads', 'rate_limited'],
    ['threads', '5xx_before_commit'],
  ] as const)('that %s answers with %s waits, and is live once', async (network, fault) => {
    await crier.sandbox().fault({ network, fault });
    const post = await publish(`${network} ${fault}`);
    await until(
      async () => {
        await advance(2);
        return (await api().getPost(post.id)).variants.every(({ status }) => status === 'published');
      },
      { what: 'published in the end', everyMs: 200 },
    );
    expect(await live(`${network} ${fault}`)).toEqual(['threads', 'x']);
  });

  test.each(['drop_after_commit', '5xx_after_commit'] as const)(
    'whose answer was lost (%s) is live exactly once on threads, and published',
    async (fault) => {
      await crier.sandbox().fault({ network: 'threads', fault });
      const post = await publish(`threads ${fault}`, ['threads']);
      const variant = await until(
        async () => {
          const [one] = (await api().getPost(post.id)).variants;
          if (one!.status !== 'published') await advance(1);
          return one!.status === 'published' ? one! : null;
        },
        { what: 'found live', everyMs: 200 },
      );
      expect(await live(`threads ${fault}`)).toEqual(['threads']);
      const [item] = (await crier.sandbox().items({ network: 'threads' })).filter(
        ({ text }) => text === `threads ${fault}`,
      );
      if (variant.permalink !== null) expect(variant.permalink).toBe(item!.permalink);
    },
  );

  test.each(['drop_after_commit', '5xx_after_commit'] as const)(
    'whose answer was lost (%s) is found on the timeline of x, and not sent again',
    async (fault) => {
      const before = (await crier.sandbox().calls('x')).filter(({ call }) => call === 'tweets.create').length;
      await crier.sandbox().fault({ network: 'x', fault });
      const post = await publish(`x ${fault}`, ['x']);
      await until(
        async () => {
          await advance(0.25);
          return (await api().getPost(post.id)).variants[0]!.status === 'published';
        },
        { what: 'found on the timeline', everyMs: 200 },
      );
      expect(await live(`x ${fault}`)).toEqual(['x']);
      expect((await crier.sandbox().calls('x')).filter(({ call }) => call === 'tweets.create')).toHaveLength(
        before + 1,
      );
      const { permalink } = (await api().getPost(post.id)).variants[0]!;
      expect((await fetch(permalink!)).status).toBe(200);
    },
  );

  test('whose request never arrived (drop_before_commit) is published on threads; on x it is unconfirmed, and a retry publishes it', async () => {
    for (const network of ['x', 'threads'] as const)
      await crier.sandbox().fault({ network, fault: 'drop_before_commit' });
    const post = await publish('lost on the way');
    const settled = await until(
      async () => {
        await advance(1);
        const { variants } = await api().getPost(post.id);
        return variants.every(({ status }) => status === 'published' || status === 'failed') ? variants : null;
      },
      { what: 'a verdict', everyMs: 200 },
    );
    const onX = settled.find(({ network }) => network === 'x')!;
    expect({ status: onX.status, reason: onX.failureReason }).toEqual({ status: 'failed', reason: 'unconfirmed' });
    expect(onX.failureDetail).toMatch(/live/);
    expect(await live('lost on the way')).toEqual(['threads']);
    await api().retryVariant(onX.id);
    await until(
      async () => {
        await advance(1);
        return (await api().getPost(post.id)).variants.every(({ status }) => status === 'published');
      },
      { what: 'published by the retry', everyMs: 200 },
    );
    expect(await live('lost on the way')).toEqual(['threads', 'x']);
  });

  test('finds its token revoked: the Channel needs a reconnect; after it, a retry publishes', async () => {
    await crier.sandbox().revoke(ours.accounts.threads);
    const post = await publish('revoked', ['threads']);
    const failed = await becomes(post, 'threads', 'failed');
    expect(failed.failureReason).toBe('needs_reconnect');
    const channel = async () => (await api().channels()).find(({ id }) => id === ours.channels.threads)!;
    await until(async () => (await channel()).state === 'needs_reconnect', { what: 'the Channel needs a reconnect' });
    expect((await channel()).canPostNow).toBe(false);
    expect(
      (await api().send('POST', '/api/posts', { text: 'meanwhile', channelIds: [ours.channels.threads] })).body.error,
    ).toMatchObject({ code: 'post_refused', blockers: [{ channelId: ours.channels.threads, code: 'problem' }] });
    expect((await api().send('POST', `/api/variants/${failed.id}/retry`)).body.error.code).toBe('channel_disconnected');
    const { channelId } = await crier.admin().call('channels.connectSandbox', {
      workspaceId: ours.workspaceId,
      network: 'threads',
      name: 'ours on threads',
      channelId: ours.channels.threads,
    });
    expect(channelId).toBe(ours.channels.threads);
    expect(await channel()).toMatchObject({ state: 'connected', canPostNow: true });
    await api().retryVariant(failed.id);
    await becomes(post, 'threads', 'published');
    expect(await live('revoked')).toEqual(['threads']);
  });

  test('is published late within the missed window; after it, it fails and is not live', async () => {
    const inTime = await schedule('50 minutes late', 20);
    await advance(70);
    await becomeAll(inTime, 'published');
    const before = await credits();
    const tooLate = await schedule('70 minutes late', 20);
    await advance(90);
    for (const network of ['x', 'threads'] as const)
      expect((await becomes(tooLate, network, 'failed')).failureReason).toBe('missed_window');
    expect(await live('70 minutes late')).toEqual([]);
    expect(await credits()).toEqual(before);
  });

  test('of a Channel that is disconnected is cancelled, with the name of the Member who did it; the rest of its Post continues', async () => {
    const other = await foundWorkspace(crier, 'leaving');
    const theirs = crier.api(other.apiKey);
    const done = await theirs.createPost({ text: 'history', channelIds: [other.channels.threads] });
    await until(async () => (await theirs.getPost(done.id)).variants[0]!.status === 'published', { what: 'published' });
    const post = await theirs.createPost({
      text: 'half of it',
      channelIds: Object.values(other.channels),
      scheduledAt: new Date(Date.now() + aheadMs + 20 * 60_000).toISOString(),
    });
    await crier.admin().call('channels.disconnect', {
      workspaceId: other.workspaceId,
      channelId: other.channels.threads,
      memberId: other.memberId,
    });
    const cancelled = await until(
      async () => {
        const variant = (await theirs.getPost(post.id)).variants.find(({ network }) => network === 'threads')!;
        return variant.status === 'cancelled' ? variant : null;
      },
      { what: 'cancelled' },
    );
    expect(cancelled).toMatchObject({ channelDisconnected: true, cancelledByDisconnect: { by: 'leaving' } });
    expect((await theirs.channels()).map(({ id }) => id)).toEqual([other.channels.x]);
    expect((await theirs.getPost(done.id)).variants[0]).toMatchObject({
      status: 'published',
      channelDisconnected: true,
    });
    await advance(21);
    await until(
      async () =>
        (await theirs.getPost(post.id)).variants.find(({ network }) => network === 'x')!.status === 'published',
      { what: 'the rest published' },
    );
    expect(await live('half of it')).toEqual(['x']);
  });
});

test('X credits: none is left for a Post beyond them, and each is spent, held or free', async () => {
  const poor = await foundWorkspace(crier, 'poor', { credits: 1 });
  const theirs = crier.api(poor.apiKey);
  const first = await theirs.createPost({
    text: 'the only one',
    channelIds: [poor.channels.x],
    scheduledAt: new Date(Date.now() + aheadMs + 20 * 60_000).toISOString(),
  });
  expect((await theirs.usage()).xCredits).toEqual({ available: 0, reserved: 1 });
  const refused = await theirs.send('POST', '/api/posts', {
    text: 'one too many',
    channelIds: [poor.channels.x, poor.channels.threads],
  });
  expect(refused.body.error).toMatchObject({
    code: 'post_refused',
    blockers: [{ channelId: poor.channels.x, code: 'problem' }],
  });
  await advance(21);
  await until(async () => (await theirs.getPost(first.id)).variants[0]!.status === 'published', { what: 'published' });
  expect((await theirs.usage()).xCredits).toEqual({ available: 0, reserved: 0 });
});
