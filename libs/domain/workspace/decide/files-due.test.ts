import { expect, test } from 'vitest';
import { aWorkspace, DAY, HOUR, RULES, type Scenario } from '#testing/scenario.ts';
import { isOver } from './remove-posts.ts';

const KEPT = RULES.filesKeptMs;

/** A completed upload of 5 bytes. */
function upload(workspace: Scenario): string {
  const assetId = workspace.uuid();
  const facts = {
    kind: 'image',
    contentType: 'image/png',
    bytes: 5,
    sha256: 'a',
    width: 1,
    height: 1,
    durationMs: null,
  } as const;
  workspace.must({ type: 'ReserveUpload', assetId, filename: 'a', contentType: 'image/png', bytes: 5 });
  workspace.must({
    type: 'CompleteUpload',
    assetId,
    file: { blob: `assets/${assetId}/original/1`, facts },
    problem: null,
  });
  return assetId;
}

/** A scheduled Post of one picture on two Channels, its files ready for these Variants. */
function aPost({ ready = [1, 2] }: { readonly ready?: readonly number[] } = {}): {
  readonly workspace: Scenario;
  readonly postId: string;
  readonly assetId: string;
} {
  const workspace = aWorkspace();
  workspace.channel('threads');
  workspace.channel('x');
  const assetId = upload(workspace);
  const postId = workspace.post({ scheduledAt: workspace.now + DAY, media: [{ assetId }] });
  workspace.tell({ type: 'MediaPrepared', workspaceId: workspace.id, postId, variants: ready });
  return { workspace, postId, assetId };
}

const state = (workspace: Scenario, assetId: string) => workspace.assets.get(assetId)?.state;

test('files of a Post are kept for as long as is set after its last Variant ended, and then removed', () => {
  const { workspace, postId, assetId } = aPost();
  workspace.advance(DAY);
  workspace.succeed(postId, 1);
  workspace.advance(KEPT);
  expect(state(workspace, assetId)).toBe('attached');
  workspace.fail(postId, 2);
  workspace.advance(KEPT - 1);
  expect([state(workspace, assetId), workspace.workspace.storage.bytes]).toEqual(['attached', 5]);
  workspace.advance(1);
  expect([state(workspace, assetId), workspace.workspace.storage.bytes]).toEqual(['removed', 0]);
  expect(workspace.postOf(postId).media).toMatchObject([{ assetId, stored: null }]);
  expect(workspace.timers.filter(({ command }) => command.type === 'FilesDue')).toEqual([]);
});

test('a Post that is scheduled keeps its files, however long that is', () => {
  const { workspace, assetId } = aPost();
  workspace.advance(DAY - 1);
  expect(workspace.timers.some(({ command }) => command.type === 'FilesDue')).toBe(false);
  expect(state(workspace, assetId)).toBe('attached');
});

test('a retry starts the time anew: the timer of the end before it removes nothing', () => {
  const { workspace, postId, assetId } = aPost();
  workspace.advance(DAY);
  workspace.succeed(postId, 1);
  workspace.fail(postId, 2);
  workspace.advance(KEPT - HOUR);
  workspace.retry(postId, 2);
  workspace.due(postId, { attempt: 2, variants: [2] });
  workspace.succeed(postId, 2);
  workspace.advance(HOUR);
  expect(state(workspace, assetId)).toBe('attached');
  workspace.advance(KEPT);
  expect(state(workspace, assetId)).toBe('removed');
});

test('a Variant whose files were removed since it was ready can not be retried, as nothing could be sent', () => {
  const { workspace, postId } = aPost();
  workspace.advance(DAY);
  workspace.succeed(postId, 1);
  workspace.fail(postId, 2);
  workspace.advance(KEPT);
  const [, variant] = workspace.postOf(postId).variants;
  expect(workspace.retry(postId, 2)).toMatchObject({
    ok: false,
    code: 'not_retryable',
    message: 'The files of this Post are not kept any more. Create it again with its files.',
  });
  expect(workspace.postOf(postId).variants[1]).toEqual(variant);
});

test('a Variant that failed before its files were ready can not be retried once they were removed', () => {
  const { workspace, postId, assetId } = aPost({ ready: [1] });
  workspace.tell({ type: 'MediaFailed', workspaceId: workspace.id, postId, attempt: 1, variants: [2], detail: 'Odd.' });
  workspace.advance(DAY);
  workspace.succeed(postId, 1);
  workspace.advance(KEPT - 1);
  expect(workspace.variant(postId, 2)).toMatchObject({ status: 'failed', mediaReady: false });
  workspace.advance(1);
  expect(state(workspace, assetId)).toBe('removed');
  const [, variant] = workspace.postOf(postId).variants;
  expect(workspace.retry(postId, 2)).toMatchObject({ ok: false, code: 'not_retryable' });
  expect(workspace.postOf(postId).variants[1]).toEqual(variant);
});

test('a Post that was cancelled gives its files back in time, and a timer that comes early or twice changes nothing', () => {
  const { workspace, postId, assetId } = aPost();
  workspace.must({ type: 'CancelPost', postId });
  const due = workspace.timers.find(({ command }) => command.type === 'FilesDue')!.command;
  const early = workspace.tell(due);
  expect([early.effects.map(({ kind }) => kind), state(workspace, assetId)]).toEqual([['files-timer'], 'attached']);
  workspace.advance(KEPT);
  expect(state(workspace, assetId)).toBe('removed');
  expect(workspace.tell(due)).toMatchObject({ effects: [], posts: [] });
});

test('a Post whose file went to its successor shows it no longer than its own time, and takes none from there', () => {
  const { workspace, postId, assetId } = aPost();
  const replacing = { replaces: postId, scheduledAt: workspace.now + KEPT + DAY, media: [{ assetId }] };
  const successorId = workspace.post(replacing);
  workspace.tell({ type: 'MediaPrepared', workspaceId: workspace.id, postId: successorId, variants: [1, 2] });
  workspace.advance(KEPT);
  expect(workspace.postOf(postId).media).toMatchObject([{ assetId, stored: null }]);
  expect(workspace.postOf(successorId).media).not.toMatchObject([{ stored: null }]);
  expect([state(workspace, assetId), workspace.workspace.storage.bytes]).toEqual(['attached', 5]);
  expect(isOver(workspace.postOf(postId), workspace.now)).toBe(true);
});

test('a Post without files has no such timer', () => {
  const workspace = aWorkspace();
  workspace.channel('threads');
  const postId = workspace.post({ scheduledAt: workspace.now + DAY });
  workspace.must({ type: 'CancelPost', postId });
  expect(workspace.timers.map(({ command }) => command.type)).not.toContain('FilesDue');
});

test('what a Post that was removed as a whole left, such as its cover, is removed, too', () => {
  const { workspace, postId, assetId } = aPost();
  workspace.advance(DAY);
  for (const number of [1, 2]) workspace.succeed(postId, number);
  workspace.posts.delete(postId);
  workspace.advance(KEPT);
  expect([state(workspace, assetId), workspace.workspace.storage.bytes]).toEqual(['removed', 0]);
});
