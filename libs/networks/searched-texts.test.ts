import { expect, test } from 'vitest';
import type { Network } from '#domain/network.ts';
import { publicationOf, renditionOf } from '#testing/publication.ts';
import { jsonAnswer, scriptedNetwork } from '#testing/scripted-network.ts';
import type { Publication } from './contract/adapter.ts';
import { createNetworks, sandboxEndpoints } from './registry.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const AT = '2026-11-20T12:00:01+0000';
const { adapters } = createNetworks(sandboxEndpoints('https://networks.test'));
const video = renditionOf(new Uint8Array(1), {
  ...{ kind: 'video', contentType: 'video/mp4', sha256: 'a', width: 640, height: 360, durationMs: 5_000 },
});

/** The account's list, where it has one post that says `text`. */
const LISTS: Readonly<Partial<Record<Network, (text: string) => object>>> = {
  x: (text) => ({ data: [{ id: '9', text, created_at: AT }], meta: {} }),
  threads: (text) => ({ data: [{ id: '9', text, timestamp: AT }] }),
  instagram: (caption) => ({ data: [{ id: '9', caption, timestamp: AT }] }),
  facebook: (message) => ({ data: [{ id: '9', message, created_time: AT }] }),
  tiktok: (text) => ({
    data: { videos: [{ id: '9', video_description: text, create_time: NOW / 1000 }], has_more: false },
    error: { code: 'ok' },
  }),
  youtube: (description) => ({
    items: [
      {
        contentDetails: { videoId: '9' },
        snippet: { title: 'A title', description, publishedAt: '2026-11-20T12:00:01Z' },
      },
    ],
  }),
};
const MORE: Readonly<Partial<Record<Network, Partial<Publication>>>> = {
  tiktok: { media: [video] },
  youtube: { media: [video], title: 'A title', accountFacts: { uploads: 'UU1' } },
};

test.each(Object.entries(LISTS) as [Network, (text: string) => object][])(
  'a text is found on %s whatever became of its line ends and blanks',
  async (network, list) => {
    const { http } = scriptedNetwork(jsonAnswer(200, list('One\nTwo three')));
    const publication = publicationOf({ http, now: NOW + 60_000, text: 'One\r\nTwo  three \r\n', ...MORE[network] });
    const answer = await adapters[network]!.search!(publication, { handle: null, since: NOW, asked: 0 });
    expect(answer).toMatchObject({ kind: 'searched', items: [{ remoteId: '9' }] });
  },
);
