import type { Check, Violation } from '../aftermath.ts';
import { sha256Of } from '../files/picture-bytes.ts';

/**
 * A completed upload is the file that was sent and stays it, belongs to one Post at most, and is removed when it was
 * asked for, when nobody uses it, or when its Post is over: nothing waits for ever.
 */
export const uploadsKeepTheirWord: Check = ({ world, history, assets, posts }) => {
  const violations: Violation[] = [];
  const complain = (detail: string, about: string): void =>
    void violations.push({ check: 'uploads keep their word', detail, about: [about] });
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  for (const { assetId, file, seen } of history.of('upload')) {
    const asset = assetId === null ? undefined : byId.get(assetId);
    if (assetId === null) continue;
    if (asset === undefined) {
      complain(`upload ${assetId} was reserved, and is gone`, assetId);
      continue;
    }
    const wasCompleted = seen === 'ok' && asset.facts !== null;
    if (wasCompleted && asset.facts!.sha256 !== sha256Of(world.files.named(file)!.bytes))
      complain(`upload ${assetId} was completed, and is not what was sent`, assetId);
    if (wasCompleted && (asset.removedFor === 'incomplete' || asset.removedFor === 'unacceptable'))
      complain(`upload ${assetId} was completed, and removed as ${asset.removedFor}`, assetId);
  }
  for (const { assetId, seen } of history.of('upload removed'))
    if (seen === 'ok' && byId.get(assetId)?.state !== 'removed')
      complain(`upload ${assetId} was removed, and is ${byId.get(assetId)?.state}`, assetId);
  for (const asset of assets)
    if (asset.expiresAt !== null && asset.expiresAt < world.engine.now - WAITS_MS)
      complain(`upload ${asset.id} should have ended, and is ${asset.state}`, asset.id);
  const owners = new Map<string, string>();
  for (const { id, workspaceId, media } of [...posts.values()].flat()) {
    for (const { assetId } of media) {
      if (owners.has(assetId)) complain(`asset ${assetId} is in post ${id} and in ${owners.get(assetId)}`, assetId);
      owners.set(assetId, id);
      const asset = byId.get(assetId);
      if (asset?.workspaceId !== workspaceId || (asset.postId !== id && asset.state !== 'removed'))
        complain(
          `asset ${assetId} is in post ${id}, and belongs to ${asset?.postId} of ${asset?.workspaceId}`,
          assetId,
        );
    }
  }
  return violations;
};

const WAITS_MS = 60_000;
