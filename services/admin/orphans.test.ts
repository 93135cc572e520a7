import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { originalBlob } from '#domain/media/blob-names.ts';
import { SAFE_AGE_MS } from '#media/orphans.ts';
import { openAdminHarness } from './admin-harness.fixture.ts';

const name = originalBlob('01a20000-0000-7000-8000-000000000001', '1');

test('files that housekeeping would remove can be listed before, and removed at once', async () => {
  let now = 0;
  const blobs = createMemoryBlobStore(() => now);
  await using harness = await openAdminHarness((options) => ({ orphans: { ...options.orphans, blobs } }));
  await blobs.put(name, Readable.from([Buffer.from('xyz')]), { maxBytes: 3 });
  expect(await harness.caller.orphans.list()).toEqual({ orphans: [], next: null });
  now = SAFE_AGE_MS + 1_000;
  expect(await harness.caller.orphans.list({ limit: 5 })).toEqual({
    orphans: [{ name, bytes: 3, ageSeconds: 86_401, why: 'no asset' }],
    next: null,
  });
  expect(await blobs.head(name)).not.toBeNull();
  expect(await harness.caller.orphans.remove()).toEqual({ removed: 1, bytes: 3, unfinished: 0 });
  expect(await blobs.head(name)).toBeNull();
  await expect(harness.caller.orphans.list({ limit: 0 })).rejects.toThrow('limit: must be at least 1');
});
