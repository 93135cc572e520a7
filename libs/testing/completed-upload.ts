import type { Asset } from '#domain/media/asset.ts';
import { DAY, START, type Scenario } from './scenario.ts';

export const PICTURE_FACTS = {
  kind: 'image',
  contentType: 'image/jpeg',
  bytes: 1_000,
  sha256: 'ab',
  width: 800,
  height: 600,
  durationMs: null,
} as const;

/** Puts an upload into the Scenario, completed unless `about` says otherwise, and returns its id. */
export function completedUpload(workspace: Scenario, about: Partial<Asset> = {}): string {
  const id = workspace.uuid();
  const announced = { contentType: 'image/jpeg', bytes: 1_000 } as const;
  const asset: Asset = {
    ...{
      id,
      workspaceId: workspace.id,
      state: 'ready',
      origin: 'upload',
      filename: 'a.jpg',
      announced,
      url: null,
      facts: PICTURE_FACTS,
      blob: `blob-${id}`,
    },
    ...{ postId: null, countedBytes: 1_000, createdAt: START, expiresAt: START + DAY },
    ...about,
  };
  workspace.assets.set(id, asset);
  return id;
}
