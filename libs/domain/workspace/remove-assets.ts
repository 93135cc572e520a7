import assert from 'node:assert/strict';
import type { Asset, RemovalReason } from '../media/asset.ts';
import type { Effect } from './effects.ts';
import type { WorkspaceState } from './state.ts';

export interface RemovedAssets {
  readonly state: WorkspaceState;
  readonly effects: readonly Effect[];
}

/**
 * Removes assets: their storage is given back at once, and their files are deleted afterwards. Removed ones are left
 * as they are.
 */
export function removeAssets(
  state: WorkspaceState,
  assets: readonly Asset[],
  removedFor: RemovalReason,
): RemovedAssets {
  const effects: Effect[] = [];
  let { bytes } = state.storage;
  for (const asset of assets) {
    assert(asset.workspaceId === state.id, `asset ${asset.id} is another Workspace's`);
    if (asset.state === 'removed') continue;
    bytes -= asset.countedBytes;
    effects.push({
      kind: 'asset-changed',
      asset: { ...asset, state: 'removed', blob: null, countedBytes: 0, expiresAt: null, removedFor },
    });
    effects.push({ kind: 'remove-files', assetId: asset.id });
  }
  assert(bytes >= 0, `storage below zero: ${bytes}`);
  return { state: effects.length === 0 ? state : { ...state, storage: { bytes } }, effects };
}
