import type { Asset } from '#domain/media/asset.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Key } from '#ports/table.ts';
import { decodeBody } from '../rows/body.ts';
import { ASSETS } from '../declarations/tables.ts';

export function assetRow(asset: Asset): { partition: Key; clustering: Key; value: Asset } {
  return { partition: [asset.id], clustering: [], value: asset };
}

/** An asset of any Workspace; null: there is none. Rejects with `PortError`. */
export async function findAsset(store: TableStore, assetId: string): Promise<Asset | null> {
  const row = await store.read(ASSETS, [assetId], []);
  return row === null ? null : decodeBody<Asset>(row);
}

/** Null when this Workspace has no such asset, even if another one has. Rejects with `PortError`. */
export async function readAsset(store: TableStore, workspaceId: string, assetId: string): Promise<Asset | null> {
  const asset = await findAsset(store, assetId);
  return asset?.workspaceId === workspaceId ? asset : null;
}
