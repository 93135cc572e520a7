import { expect, test } from 'vitest';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import type { StoredFile, VariantFiles } from '#tables/repositories/renditions.ts';
import { createStoredRenditions } from './stored-renditions.ts';

const file = (blob: string): StoredFile => ({
  ...{ kind: 'image', contentType: 'image/jpeg', width: 800, height: 600, durationMs: null },
  ...{ bytes: 27, sha256: '', blob },
});
const [ONE, OTHER] = [file('one'), file('other')];

/** What a publisher gets for a Variant of two pictures with a cover, of which these files are stored. */
function filesOf(stored: VariantFiles | null): ReturnType<ReturnType<typeof createStoredRenditions>['filesOf']> {
  const source = createStoredRenditions({
    rows: { filesOf: async () => stored },
    blobs: createMemoryBlobStore(),
    mediaUrl: ({ blob }) => `https://media.test/${blob}`,
  });
  const ids = { workspaceId: 'w', postId: 'p', variantId: 'v' };
  return source.filesOf({ ...ids, network: 'threads', placement: 'feed', altTexts: ['a cat', ''], hasCover: true });
}

test('a Variant all of whose files are stored gets them in order, each with its description', async () => {
  expect(await filesOf({ files: [ONE, OTHER], cover: file('cover') })).toMatchObject({
    kind: 'ready',
    files: [
      { url: 'https://media.test/one', altText: 'a cat' },
      { url: 'https://media.test/other', altText: '' },
    ],
    cover: { url: 'https://media.test/cover' },
  });
});

test.each<[what: string, stored: VariantFiles | null]>([
  ['nothing', null],
  ['one of its files', { files: [ONE], cover: file('cover') }],
  ['all but its cover', { files: [ONE, OTHER], cover: null }],
])('a Variant of which %s is there is asked for again', async (_what, stored) => {
  expect(await filesOf(stored)).toMatchObject({ kind: 'pending' });
});
