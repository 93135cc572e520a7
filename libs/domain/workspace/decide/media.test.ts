import { describe, expect, it } from 'vitest';
import { completedUpload, PICTURE_FACTS } from '#testing/completed-upload.ts';
import type { MediaReference } from '../../post/media-reference.ts';
import { aWorkspace, DAY, HOUR, MINUTE, RULES, START, type Scenario } from '#testing/scenario.ts';
import { CLOCK_SKEW_MS } from '../clock-skew.ts';
import type { CreatePost } from '../commands.ts';
import type { Effect } from '../effects.ts';

const LATER = START + DAY;
const WINDOW = RULES.missedWindowMs;
function address(workspace: Scenario): MediaReference {
  return {
    url: 'https://pictures.test/a.jpg',
    inspected: { assetId: workspace.uuid(), contentType: 'image/jpeg', bytes: 2_000, problem: null },
  };
}

function refusalOf(workspace: Scenario, fields: Partial<CreatePost>): string {
  const before = [workspace.state, [...workspace.assets]];
  const { result, effects } = workspace.tell(workspace.creating(fields));
  expect([[workspace.state, [...workspace.assets]], effects]).toEqual([before, []]);
  return result?.ok === false ? result.code : 'ok';
}

function withFiles(workspace: Scenario, fields: Partial<CreatePost> = {}): string {
  return workspace.post({ media: [{ assetId: completedUpload(workspace), altText: 'A cat' }], ...fields });
}

const kinds = (effects: readonly Effect[]): string[] => effects.map(({ kind }) => kind);
const prepared = (workspace: Scenario, postId: string, variants = [1]) =>
  workspace.tell({ type: 'MediaPrepared', workspaceId: workspace.id, postId, variants });
const failed = (workspace: Scenario, postId: string, attempt = 1, variants = [1]) =>
  workspace.tell({
    type: 'MediaFailed',
    workspaceId: workspace.id,
    postId,
    attempt,
    variants,
    detail: 'The video has no picture in it.',
  });

describe('attaching', () => {
  it('the Post has its files in order, each upload is its own from then on, and they are prepared', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const [one, other] = [completedUpload(workspace), address(workspace)];
    const { effects } = workspace.tell(
      workspace.creating({ scheduledAt: LATER, media: [{ assetId: one, altText: 'A cat' }, other] }),
    );
    const post = [...workspace.posts.values()][0]!;
    expect(post.media).toEqual([
      { assetId: one, kind: 'image', altText: 'A cat', stored: { blob: `blob-${one}`, contentType: 'image/jpeg' } },
      { assetId: other.inspected!.assetId, kind: 'image', altText: null, stored: null },
    ]);
    expect(kinds(effects)).toEqual(['post-created', 'asset-changed', 'asset-changed', 'due-timer', 'prepare-media']);
    expect(workspace.assets.get(one)).toMatchObject({ state: 'attached', postId: post.id, expiresAt: null });
    expect(workspace.assets.get(other.inspected!.assetId)).toMatchObject({
      state: 'attached',
      origin: 'address',
      url: other.url,
      facts: null,
      blob: null,
    });
    expect(post.variants[0]).toMatchObject({ status: 'scheduled', mediaReady: false });
  });

  it('of two Posts racing for one upload the first has it', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const media = [{ assetId: completedUpload(workspace) }];
    workspace.post({ text: 'one', media });
    expect(refusalOf(workspace, { text: 'other', media })).toBe('media_unavailable');
  });

  it('the same Post again is the first one, though its upload is taken by then', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const media = [{ assetId: completedUpload(workspace) }];
    const first = workspace.post({ media });
    expect(workspace.must(workspace.creating({ media }))).toMatchObject({ postId: first, replayed: true });
  });

  it.each<[string, (workspace: Scenario) => readonly MediaReference[], string]>([
    ['nobody ever reserved', (workspace) => [{ assetId: workspace.uuid() }], 'media_unavailable'],
    [
      'that was removed',
      (workspace) => [{ assetId: completedUpload(workspace, { state: 'removed' }) }],
      'media_unavailable',
    ],
    [
      'that another Post has',
      (workspace) => [{ assetId: completedUpload(workspace, { state: 'attached', postId: 'another' }) }],
      'media_unavailable',
    ],
    [
      'that was not completed',
      (workspace) => [{ assetId: completedUpload(workspace, { state: 'reserved', facts: null, blob: null }) }],
      'upload_incomplete',
    ],
    [
      'named twice',
      (workspace) => ((assetId) => [{ assetId }, { assetId }])(completedUpload(workspace)),
      'media_unavailable',
    ],
    [
      'by an address that has none',
      (workspace) => [
        {
          url: 'https://a.test/',
          inspected: { assetId: workspace.uuid(), contentType: null, bytes: null, problem: 'It answered 404.' },
        },
      ],
      'media_unacceptable',
    ],
    ['by an address nobody looked at', () => [{ url: 'https://a.test/' }], 'invalid_request'],
  ])('a file %s is refused, and nothing changes', (_what, media, code) => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    expect(refusalOf(workspace, { media: media(workspace) })).toBe(code);
  });

  it('what files are is judged for each Channel, and a refused Post leaves the upload free', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('facebook');
    const media = [{ assetId: completedUpload(workspace) }, { assetId: completedUpload(workspace) }];
    expect(refusalOf(workspace, { text: '', media, channelOptions: { [channelId]: { placement: 'story' } } })).toBe(
      'post_refused',
    );
    expect(workspace.assets.get(media[0]!.assetId)!.state).toBe('ready');
  });

  it('a dry run says it all as blockers and attaches nothing', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const verdict = workspace.must(workspace.creating({ media: [{ assetId: workspace.uuid() }], dryRun: true }));
    expect(verdict).toMatchObject({
      kind: 'verdict',
      blockers: [{ code: 'problem', message: expect.stringContaining('no upload') }],
    });
  });
});

describe('becoming ready', () => {
  it('immediate: queued while its files are prepared, then published at once, each Variant when its own are', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    workspace.channel('x');
    const { effects } = workspace.tell(workspace.creating({ media: [{ assetId: completedUpload(workspace) }] }));
    const post = [...workspace.posts.values()][0]!;
    expect(kinds(effects)).toEqual(['post-created', 'asset-changed', 'prepare-media', 'due-timer', 'due-timer']);
    expect(post.variants.map(({ status }) => status)).toEqual(['scheduled', 'scheduled']);
    expect(kinds(prepared(workspace, post.id, [2]).effects)).toEqual(['variants-changed', 'publish']);
    expect(workspace.postOf(post.id).variants.map(({ status, mediaReady }) => [status, mediaReady])).toEqual([
      ['scheduled', false],
      ['publishing', true],
    ]);
    expect(prepared(workspace, post.id, [2]).effects).toEqual([]);
  });

  it('immediate: published at once also where the clock led when it was made, as is a retry', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    workspace.now += DAY;
    const [first, second] = [withFiles(workspace, { text: 'first' }), withFiles(workspace, { text: 'second' })];
    failed(workspace, second);
    workspace.must({ type: 'RetryVariant', variantId: workspace.variant(second).id });
    workspace.now -= DAY;
    for (const postId of [first, second]) {
      prepared(workspace, postId);
      expect(workspace.variant(postId).status).toBe('publishing');
    }
  });

  it('scheduled: ready before its time, it waits for it', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const postId = withFiles(workspace, { scheduledAt: LATER });
    prepared(workspace, postId);
    expect(workspace.variant(postId)).toMatchObject({ status: 'scheduled', mediaReady: true });
    workspace.advance(DAY);
    expect(workspace.variant(postId).status).toBe('publishing');
  });
});

describe('ready before its time, it never starts early', () => {
  const aPost = (
    networks: readonly ('threads' | 'x')[] = ['threads'],
  ): { readonly workspace: Scenario; readonly postId: string } => {
    const workspace = aWorkspace();
    for (const network of networks) workspace.channel(network);
    return { workspace, postId: withFiles(workspace, { scheduledAt: LATER }) };
  };
  const statuses = (workspace: Scenario, postId: string) =>
    workspace.postOf(postId).variants.map(({ status }) => status);

  it.each([
    [1, 'scheduled'],
    [1_000, 'scheduled'],
    [CLOCK_SKEW_MS - 1, 'scheduled'],
    [CLOCK_SKEW_MS, 'scheduled'],
    [CLOCK_SKEW_MS + 1, 'scheduled'],
    [HOUR, 'scheduled'],
    [0, 'publishing'],
    [-1, 'publishing'],
    [-WINDOW, 'publishing'],
    [-WINDOW - 1, 'failed'],
  ])('%i ms before it is due: %s, and publishing when it is due', (earlyMs, status) => {
    const { workspace, postId } = aPost();
    workspace.now = LATER - earlyMs;
    prepared(workspace, postId);
    expect(statuses(workspace, postId)).toEqual([status]);
    workspace.advance(Math.max(0, earlyMs - 1));
    expect(statuses(workspace, postId)).toEqual([status]);
    workspace.advance(1);
    expect(statuses(workspace, postId)).toEqual([status === 'failed' ? 'failed' : 'publishing']);
  });

  it.each([1, CLOCK_SKEW_MS])(
    'its timer has fired already, by a clock that leads by %i ms: another is set for when it is due',
    (leadMs) => {
      const { workspace, postId } = aPost(['threads', 'x']);
      workspace.now = LATER - leadMs;
      workspace.timers.length = 0;
      workspace.due(postId);
      workspace.effects.length = 0;
      prepared(workspace, postId, [2, 1]);
      expect(statuses(workspace, postId)).toEqual(['scheduled', 'scheduled']);
      expect(workspace.effects.flatMap((effect) => (effect.kind === 'due-timer' ? [effect.at] : []))).toEqual([LATER]);
      workspace.advance(leadMs);
      expect(statuses(workspace, postId)).toEqual(['publishing', 'publishing']);
    },
  );

  it('a Channel that waits for a reconnect just before it is due may still be reconnected in time', () => {
    const { workspace, postId } = aPost();
    workspace.now = LATER - 1_000;
    const { channelId } = workspace.variant(postId);
    workspace.tell({
      type: 'MarkChannel',
      workspaceId: workspace.id,
      channelId,
      state: 'needs_reconnect',
      seenAt: workspace.now,
    });
    prepared(workspace, postId);
    expect(statuses(workspace, postId)).toEqual(['scheduled']);
  });
});

describe('not ready in time', () => {
  it('due and not ready: it stays scheduled, has its files prepared again, and goes on when they are', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const postId = withFiles(workspace, { scheduledAt: LATER });
    workspace.effects.length = 0;
    workspace.advance(DAY);
    expect([workspace.variant(postId).status, kinds(workspace.effects)]).toEqual([
      'scheduled',
      ['prepare-media', 'due-timer', 'due-timer'],
    ]);
    workspace.advance(30 * MINUTE);
    prepared(workspace, postId);
    expect(workspace.variant(postId).status).toBe('publishing');
  });

  it.each([{ scheduledAt: LATER }, { scheduledAt: null }])(
    'not ready when the missed window ends: it fails and says so ($scheduledAt)',
    ({ scheduledAt }) => {
      const workspace = aWorkspace();
      workspace.channel('x');
      const postId = withFiles(workspace, { scheduledAt });
      workspace.advance((scheduledAt ?? START) - START);
      workspace.advance(WINDOW - MINUTE);
      expect(workspace.variant(postId).status).toBe('scheduled');
      workspace.advance(MINUTE + 1);
      expect(workspace.variant(postId)).toMatchObject({
        status: 'failed',
        failureReason: 'media_problem',
        failureDetail: expect.stringContaining('still being prepared'),
      });
      expect(workspace.workspace.xCredits).toEqual({ available: 10, reserved: 0 });
    },
  );

  it.each([null, LATER])(
    'not ready, as their job was lost: they are asked for every ten minutes (%s)',
    (scheduledAt) => {
      const workspace = aWorkspace();
      workspace.channel('threads');
      const postId = withFiles(workspace, { scheduledAt });
      workspace.advance((scheduledAt ?? START) - START);
      const asked = (): number => workspace.effects.filter(({ kind }) => kind === 'prepare-media').length;
      const before = asked();
      workspace.advance(10 * MINUTE);
      expect(asked()).toBe(before + 1);
      workspace.advance(10 * MINUTE);
      expect(asked()).toBe(before + 2);
      prepared(workspace, postId);
      workspace.advance(30 * MINUTE);
      expect(asked()).toBe(before + 2);
    },
  );

  it.each([1, CLOCK_SKEW_MS, MINUTE, 5 * MINUTE - 1])(
    'a clock that leads by %i ms fires the end of the missed window early: another timer is set, and it still fails',
    (leadMs) => {
      const { workspace, postId } = ((workspace) => (
        workspace.channel('threads'),
        { workspace, postId: withFiles(workspace, { scheduledAt: LATER }) }
      ))(aWorkspace());
      workspace.advance(DAY);
      const ends = workspace.timers.find(({ at }) => at === LATER + WINDOW + 1);
      workspace.timers.length = 0;
      workspace.now = ends!.at - leadMs;
      workspace.tell(ends!.command);
      expect(workspace.variant(postId).status).toBe('scheduled');
      expect(workspace.timers).toHaveLength(1);
      expect(workspace.timers[0]!.at, 'of the same instant it is taken for the one that fired').toBeGreaterThan(
        ends!.at,
      );
      // It fires it as early as the first one.
      workspace.now = workspace.timers[0]!.at - leadMs;
      workspace.tell(workspace.timers[0]!.command);
      expect(workspace.variant(postId)).toMatchObject({ status: 'failed', failureReason: 'media_problem' });
    },
  );

  it('ready when its Channel waits for a reconnect: it fails with that', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('threads');
    const postId = withFiles(workspace);
    workspace.tell({
      type: 'MarkChannel',
      workspaceId: workspace.id,
      channelId,
      state: 'needs_reconnect',
      seenAt: workspace.now + 1,
    });
    prepared(workspace, postId);
    expect(workspace.variant(postId)).toMatchObject({
      status: 'failed',
      failureReason: 'needs_reconnect',
      mediaReady: true,
    });
  });

  it('cancelled meanwhile: it stays cancelled', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const postId = withFiles(workspace, { scheduledAt: LATER });
    workspace.must({ type: 'CancelPost', postId });
    prepared(workspace, postId);
    expect(workspace.variant(postId).status).toBe('cancelled');
    expect(failed(workspace, postId).effects).toEqual([]);
  });
});

describe('failing', () => {
  it('at once and not when due, with the reason, its credit given back, and an event', () => {
    const workspace = aWorkspace();
    workspace.channel('x');
    const postId = withFiles(workspace, { scheduledAt: LATER });
    expect(kinds(failed(workspace, postId).effects)).toEqual(['variants-changed', 'outcome', 'files-timer']);
    expect(workspace.variant(postId)).toMatchObject({
      status: 'failed',
      failureReason: 'media_problem',
      failureDetail: 'The video has no picture in it.',
    });
    expect(workspace.workspace.xCredits).toEqual({ available: 10, reserved: 0 });
    expect(failed(workspace, postId).effects).toEqual([]);
  });

  it('a retry has the files prepared anew; what is said of the attempt before is ignored', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const postId = withFiles(workspace);
    failed(workspace, postId);
    workspace.effects.length = 0;
    expect(workspace.retry(postId)).toMatchObject({ ok: true });
    workspace.settle();
    expect(kinds(workspace.effects)).toEqual([
      'variants-changed',
      'command',
      'due-timer',
      'prepare-media',
      'due-timer',
      'due-timer',
    ]);
    expect(failed(workspace, postId, 1).effects).toEqual([]);
    prepared(workspace, postId);
    expect(workspace.variant(postId)).toMatchObject({ status: 'publishing', attempt: 2 });
  });

  it('files that become ready after it failed are kept for a retry, and no second event of the failure is sent', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const postId = withFiles(workspace, { scheduledAt: LATER });
    failed(workspace, postId);
    expect(kinds(prepared(workspace, postId).effects)).toEqual(['variants-changed', 'files-timer']);
    expect(workspace.variant(postId)).toMatchObject({ status: 'failed', mediaReady: true });
  });

  it('a Variant that is ready does not fail by what is said of another', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const postId = withFiles(workspace, { scheduledAt: LATER });
    prepared(workspace, postId);
    expect(failed(workspace, postId).effects).toEqual([]);
  });

  it('ended by a Disconnect that no sweep has brought yet: cancelled, not failed', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('threads');
    const postId = withFiles(workspace, { scheduledAt: LATER });
    workspace.must({ type: 'DisconnectChannel', channelId, memberId: null });
    failed(workspace, postId);
    expect(workspace.variant(postId)).toMatchObject({ status: 'cancelled', cancelledByDisconnect: { by: 'operator' } });
  });
});

describe('a file by address', () => {
  it('is shown once it has come, counts from then on, and a repeated report changes nothing', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const file = address(workspace);
    const postId = workspace.post({ scheduledAt: LATER, media: [file] });
    const { assetId } = file.inspected!;
    const come = () =>
      workspace.tell({
        type: 'FileFetched',
        workspaceId: workspace.id,
        postId,
        assetId,
        facts: PICTURE_FACTS,
        blob: 'fetched',
      });
    expect(kinds(come().effects)).toEqual(['asset-changed', 'content-changed']);
    expect(workspace.postOf(postId).media[0]!.stored).toEqual({ blob: 'fetched', contentType: 'image/jpeg' });
    expect(workspace.assets.get(assetId)).toMatchObject({
      facts: PICTURE_FACTS,
      blob: 'fetched',
      countedBytes: PICTURE_FACTS.bytes,
    });
    expect(workspace.workspace.storage).toEqual({ bytes: PICTURE_FACTS.bytes });
    expect(come().effects).toEqual([]);
  });

  const GIB = 1024 ** 3;
  const fetchedAs = (workspace: Scenario, postId: string, assetId: string, bytes: number) =>
    workspace.tell({
      ...{ type: 'FileFetched', workspaceId: workspace.id, postId, assetId, blob: 'fetched' },
      facts: { ...PICTURE_FACTS, bytes },
    });

  it('is refused where the bytes that its address announced are more than the Plan has room for', () => {
    const workspace = aWorkspace({ plan: 'free' });
    workspace.channel('threads');
    const [one, other] = [address(workspace), address(workspace)].map((file) => ({
      ...file,
      inspected: { ...file.inspected!, bytes: 0.6 * GIB },
    }));
    expect(refusalOf(workspace, { media: [one!, other!] })).toBe('plan_limit');
    const judged = workspace.must(workspace.creating({ media: [one!, other!], dryRun: true }));
    expect(judged).toMatchObject({
      blockers: [
        {
          message: 'media[1]: The Free plan has 1 GiB of storage, and this file does not fit into what is left.',
          path: 'media.1',
        },
      ],
    });
    expect(workspace.must(workspace.creating({ media: [one!] }))).toMatchObject({ kind: 'post' });
  });

  it('that turns out larger than the room of the Plan is removed, and the Variants that wait for it fail', () => {
    const workspace = aWorkspace({ plan: 'free' });
    workspace.channel('threads');
    const files = [address(workspace), address(workspace)];
    const [first, second] = files.map((file, index) =>
      workspace.post({ text: `${index}`, scheduledAt: LATER, media: [file] }),
    );
    const [one, other] = files.map(({ inspected }) => inspected!.assetId);
    fetchedAs(workspace, first!, one!, 0.6 * GIB);
    const { effects } = fetchedAs(workspace, second!, other!, 0.6 * GIB);
    expect(effects).toContainEqual({ kind: 'remove-files', assetId: other });
    expect(workspace.assets.get(other!)).toMatchObject({ state: 'removed', removedFor: 'no room', countedBytes: 0 });
    expect(workspace.workspace.storage).toEqual({ bytes: 0.6 * GIB });
    expect(workspace.variant(first!)).toMatchObject({ status: 'scheduled' });
    expect(workspace.variant(second!)).toMatchObject({
      status: 'failed',
      failureReason: 'media_problem',
      failureDetail:
        'The Free plan has 1 GiB of storage, and a file of this Post has 644.3 MB, which is more than is left. Make room or choose a larger Plan, and create the Post again.',
    });
    expect(fetchedAs(workspace, second!, other!, 0.6 * GIB).effects).toEqual([]);
  });
});
