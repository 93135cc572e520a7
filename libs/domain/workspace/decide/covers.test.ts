import { describe, expect, it, test } from 'vitest';
import type { Cover } from '../../post/channel-options.ts';
import { renderPost } from '../../post/render.ts';
import { completedUpload, PICTURE_FACTS } from '#testing/completed-upload.ts';
import { aWorkspace, DAY, HOUR, RULES, START, type Scenario } from '#testing/scenario.ts';

const LATER = START + DAY;
const FILM = {
  announced: { contentType: 'video/mp4', bytes: 1_000 },
  facts: { ...PICTURE_FACTS, kind: 'video', contentType: 'video/mp4', durationMs: 10_000 },
} as const;

const addressed = (workspace: Scenario, contentType: 'image/jpeg' | 'video/mp4' | null = 'image/jpeg'): Cover => ({
  url: 'https://pictures.test/cover.jpg',
  inspected: { assetId: workspace.uuid(), contentType, bytes: 2_000, problem: null },
});

/** A Workspace with two Channels that take pictures as covers, and a film to post to them. */
function opened() {
  const workspace = aWorkspace();
  const [page, tube] = [workspace.channel('facebook'), workspace.channel('youtube')];
  const film = completedUpload(workspace, FILM);
  const creating = (covers: Readonly<Record<string, Cover>>, more: object = {}) =>
    workspace.creating({
      scheduledAt: LATER,
      media: [{ assetId: film }],
      channelOptions: Object.fromEntries(Object.entries(covers).map(([id, cover]) => [id, { cover }])),
      ...more,
    });
  const refusal = (covers: Readonly<Record<string, Cover>>) => {
    const before = [workspace.state, [...workspace.assets]];
    const { result, effects } = workspace.tell(creating(covers));
    expect([[workspace.state, [...workspace.assets]], effects]).toEqual([before, []]);
    return result?.ok === false ? [result.code, result.message] : 'ok';
  };
  const posted = (covers: Readonly<Record<string, Cover>>) => {
    const result = workspace.must(creating(covers));
    if (result.kind !== 'post') throw new Error(result.kind);
    return result.postId;
  };
  return { workspace, page, tube, film, creating, refusal, posted };
}

describe('the picture of a cover', () => {
  it('belongs to the Post like its files, is prepared with them, and is not among what the Post shows', () => {
    const { workspace, page, tube, film, posted } = opened();
    const [upload, address] = [completedUpload(workspace), addressed(workspace)];
    const postId = posted({ [page]: { assetId: upload }, [tube]: address });
    for (const [id, origin] of [
      [upload, 'upload'],
      [address.inspected!.assetId, 'address'],
    ] as const)
      expect(workspace.assets.get(id)).toMatchObject({ state: 'attached', postId, origin, expiresAt: null });
    const shown = renderPost(workspace.postOf(postId), workspace.workspace.channels, () => 'https://media.test');
    expect(shown.media.map(({ id }) => id)).toEqual([film]);
    expect(workspace.effects.filter(({ kind }) => kind === 'prepare-media')).toEqual([
      { kind: 'prepare-media', postId },
    ]);
  });

  it('may be one upload for several Channels of a Post', () => {
    const { workspace, page, tube, posted } = opened();
    const upload = completedUpload(workspace);
    workspace.effects.length = 0;
    const postId = posted({ [page]: { assetId: upload }, [tube]: { assetId: upload } });
    expect(workspace.assets.get(upload)).toMatchObject({ state: 'attached', postId });
    const changed = workspace.effects.flatMap((each) => (each.kind === 'asset-changed' ? [each.asset.id] : []));
    expect(changed.toSorted()).toEqual([workspace.postOf(postId).media[0]!.assetId, upload].toSorted());
  });

  it.each<[string, (world: ReturnType<typeof opened>) => Cover, string, RegExp]>([
    ['nobody reserved', ({ workspace }) => ({ assetId: workspace.uuid() }), 'media_unavailable', /no upload/],
    [
      'that another Post has',
      ({ workspace }) => ({ assetId: completedUpload(workspace, { state: 'attached', postId: 'another' }) }),
      'media_unavailable',
      /belongs to one Post/,
    ],
    ['that is a file of the Post', ({ film }) => ({ assetId: film }), 'media_unavailable', /belongs to one Post/],
    [
      'that was not completed',
      ({ workspace }) => ({ assetId: completedUpload(workspace, { state: 'reserved', facts: null, blob: null }) }),
      'upload_incomplete',
      /not complete/,
    ],
    [
      'that is a video',
      ({ workspace }) => ({ assetId: completedUpload(workspace, FILM) }),
      'media_unacceptable',
      /cover: A cover is a picture/,
    ],
    [
      'at an address with a video',
      ({ workspace }) => addressed(workspace, 'video/mp4'),
      'media_unacceptable',
      /cover: A cover is a picture/,
    ],
    [
      'at an address that has none',
      ({ workspace }) => ({
        url: 'https://a.test/',
        inspected: { assetId: workspace.uuid(), contentType: null, bytes: null, problem: 'It answered 404.' },
      }),
      'media_unacceptable',
      /cover: It answered 404/,
    ],
    ['at an address nobody looked at', () => ({ url: 'https://a.test/' }), 'invalid_request', /neither/],
  ])('%s is refused, and nothing changes', (_what, cover, code, words) => {
    const world = opened();
    expect(world.refusal({ [world.page]: cover(world) })).toEqual([code, expect.stringMatching(words)]);
  });

  it('is a blocker of a dry run, in the same words', () => {
    const { workspace, page, creating } = opened();
    const cover = { assetId: completedUpload(workspace, FILM) };
    expect(workspace.must(creating({ [page]: cover }, { dryRun: true }))).toMatchObject({
      blockers: [{ code: 'problem', message: expect.stringContaining('A cover is a picture') }],
    });
  });

  it('is attached to the first of two Posts, and a refused Post leaves it free', () => {
    const { workspace, page, tube, posted, refusal } = opened();
    const upload = completedUpload(workspace);
    expect(refusal({ [page]: { assetId: upload }, [tube]: { atSeconds: 11 } })).toEqual([
      'post_refused',
      expect.anything(),
    ]);
    posted({ [page]: { assetId: upload } });
    const other = workspace.creating({
      text: 'other',
      scheduledAt: LATER,
      media: [{ assetId: completedUpload(workspace, FILM) }],
      channelOptions: { [page]: { cover: { assetId: upload } } },
    });
    expect(workspace.tell(other).result).toMatchObject({ ok: false, code: 'media_unavailable' });
  });

  it('counts from when it was fetched, and is removed with the files of the Post, its bytes given back', () => {
    const { workspace, page, tube, film, posted } = opened();
    const [upload, address] = [completedUpload(workspace), addressed(workspace)];
    const before = workspace.workspace.storage.bytes;
    const postId = posted({ [page]: { assetId: upload }, [tube]: address });
    const { assetId } = address.inspected!;
    const fetched = {
      type: 'FileFetched',
      workspaceId: workspace.id,
      postId,
      assetId,
      facts: PICTURE_FACTS,
      blob: 'fetched',
    } as const;
    const post = workspace.postOf(postId);
    expect(workspace.tell(fetched).effects.map(({ kind }) => kind)).toEqual(['asset-changed']);
    expect(workspace.tell(fetched).effects).toEqual([]);
    expect(workspace.postOf(postId)).toEqual(post);
    expect(workspace.workspace.storage.bytes).toBe(before + PICTURE_FACTS.bytes);
    // The uploads of this test were never reserved, so they were not counted either.
    workspace.state = { ...workspace.workspace, storage: { bytes: before + PICTURE_FACTS.bytes + 2 * 1_000 } };
    workspace.must({ type: 'CancelPost', postId });
    workspace.advance(RULES.filesKeptMs);
    expect([film, upload, assetId].map((id) => workspace.assets.get(id)!.state)).toEqual(
      Array.from({ length: 3 }, () => 'removed'),
    );
    expect(workspace.workspace.storage.bytes).toBe(before);
  });
});

test('the same Post with the same address of a cover is the first one, though the address has failed since', () => {
  const { workspace, page, creating } = opened();
  const cover = addressed(workspace);
  const first = creating({ [page]: cover });
  workspace.must(first);
  workspace.now += HOUR / 60;
  const later = { ...cover, inspected: { ...cover.inspected!, assetId: workspace.uuid(), contentType: null } };
  expect(workspace.must(creating({ [page]: later }))).toMatchObject({ postId: first.postId, replayed: true });
});
