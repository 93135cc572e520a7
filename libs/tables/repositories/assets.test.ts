import { expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import type { Asset } from '#domain/media/asset.ts';
import { ASSETS } from '../declarations/tables.ts';
import { BODY_FORMAT, encodeBody } from '../rows/body.ts';
import { assetRow, findAsset, readAsset } from './assets.ts';

test('an asset is there for its own Workspace, and for no other one', async () => {
  const store = createMemoryTableStore({});
  const asset = { id: 'an asset', workspaceId: 'its own' } as Asset;
  const { value, ...key } = assetRow(asset);
  await store.upsert(ASSETS, [{ ...key, body: encodeBody(value), format: BODY_FORMAT, timestamp: 1 }]);
  expect(await readAsset(store, 'its own', asset.id)).toEqual(asset);
  expect(await readAsset(store, 'another one', asset.id)).toBeNull();
  expect(await findAsset(store, asset.id)).toEqual(asset);
});
