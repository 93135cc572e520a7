import { describe, expect, it } from 'vitest';
import { completedUpload } from '#testing/completed-upload.ts';
import { aWorkspace, DAY, START, type Scenario } from '#testing/scenario.ts';
import { goodAddresses } from '../../post/post.ts';
import { renderPost } from '../../post/render.ts';

const LATER = START + DAY;

function withFile(workspace: Scenario): string {
  workspace.channel('threads');
  return workspace.post({ media: [{ assetId: completedUpload(workspace) }], scheduledAt: LATER });
}

const voiding = (workspace: Scenario, postId: string) => workspace.tell({ type: 'VoidFileAddresses', postId });

function urlOf(workspace: Scenario, postId: string): string | null {
  const mediaUrl = ({ blob, addressVersion }: { blob: string; addressVersion?: number }) => `${blob}/${addressVersion}`;
  return renderPost(workspace.postOf(postId), {}, mediaUrl).media[0]!.url;
}

function publish(workspace: Scenario, postId: string): void {
  workspace.now = LATER;
  workspace.tell({ type: 'MediaPrepared', workspaceId: workspace.id, postId, variants: [1] });
  workspace.due(postId);
}

describe('addresses that a Member makes void', () => {
  it('are others for as long as the Post is to be published, and none once it is', () => {
    const workspace = aWorkspace();
    const postId = withFile(workspace);
    const first = urlOf(workspace, postId);
    expect(voiding(workspace, postId).result).toMatchObject({ ok: true, kind: 'post', postId });
    const second = urlOf(workspace, postId);
    expect([first, second].map((url) => url?.slice(-2))).toEqual(['/0', '/1']);
    publish(workspace, postId);
    expect(urlOf(workspace, postId)).toBe(second);
    workspace.succeed(postId);
    expect(urlOf(workspace, postId)).toBe(null);
  });

  it('of a Post that is live are void at once, and a repetition changes nothing', () => {
    const workspace = aWorkspace();
    const postId = withFile(workspace);
    publish(workspace, postId);
    workspace.succeed(postId);
    expect(urlOf(workspace, postId)).toContain('/0');
    voiding(workspace, postId);
    expect(urlOf(workspace, postId)).toBe(null);
    expect(voiding(workspace, postId)).toMatchObject({ result: { ok: true }, effects: [] });
    expect(workspace.audit.map(({ action }) => action).filter((one) => one === 'post.addresses_voided')).toHaveLength(
      1,
    );
  });

  it('are good again in a new form while a Member retries what failed', () => {
    const workspace = aWorkspace();
    const postId = withFile(workspace);
    publish(workspace, postId);
    workspace.fail(postId);
    voiding(workspace, postId);
    expect(goodAddresses(workspace.postOf(postId))).toBe(null);
    workspace.retry(postId);
    expect(goodAddresses(workspace.postOf(postId))).toBe(1);
  });

  it('stay void for the Post that takes the place of this one with its files', () => {
    const workspace = aWorkspace();
    const postId = withFile(workspace);
    voiding(workspace, postId);
    const media = [{ assetId: workspace.postOf(postId).media[0]!.assetId }];
    const { result } = workspace.tell(workspace.creating({ replaces: postId, media, scheduledAt: LATER, text: 'New' }));
    if (result?.ok !== true || result.kind !== 'post') throw new Error(JSON.stringify(result));
    expect([goodAddresses(workspace.postOf(result.postId)), goodAddresses(workspace.postOf(postId))]).toEqual([
      1,
      null,
    ]);
  });

  it('are none where a Post has no files, or was cancelled as a whole', () => {
    const workspace = aWorkspace();
    const cancelled = withFile(workspace);
    workspace.must({ type: 'CancelPost', postId: cancelled });
    const without = workspace.post({ text: 'No file', scheduledAt: LATER });
    for (const postId of [cancelled, without])
      expect(voiding(workspace, postId)).toMatchObject({ result: { ok: true, postId }, effects: [] });
    expect(voiding(workspace, workspace.uuid()).result).toMatchObject({ ok: false, code: 'not_found' });
  });

  it('need posts:schedule, and are nothing for a key that only reads', () => {
    const workspace = aWorkspace();
    const postId = withFile(workspace);
    const keyId = workspace.uuid();
    const memberId = Object.keys(workspace.workspace.members)[0]!;
    const limits = { readOnly: true, expiresAt: null, allowedIps: [] };
    const key = { type: 'CreateKey', keyId, memberId, name: 'reads', permissions: [], tokenHash: 'h', limits } as const;
    workspace.must(key);
    const { result } = workspace.tell({ type: 'VoidFileAddresses', postId, credential: { kind: 'key', keyId } });
    expect(result).toMatchObject({ ok: false, code: 'forbidden' });
    expect(goodAddresses(workspace.postOf(postId))).toBe(0);
  });
});
