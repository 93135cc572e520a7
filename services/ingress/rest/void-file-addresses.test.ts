import { expect, test } from 'vitest';
import { createMediaAddresses } from '#media/media-addresses.ts';
import { openIngressWorld, openIngressHarness, START } from '../ingress-harness.fixture.ts';

type OpenWorld = Awaited<ReturnType<typeof openIngressWorld>>;
const CONTENT = Buffer.from('a picture, or so it is said');
/** Longer than a look at the store is remembered. */
const A_WHILE = 2_001;

async function postWithFile({ harness, key, channels }: OpenWorld) {
  const reservation = { filename: 'a.png', contentType: 'image/png', bytes: CONTENT.length };
  const { body } = await harness.call('POST', '/api/media', { key, body: reservation });
  const { pathname, search } = new URL(body.data.uploadUrl);
  await harness.call('PUT', pathname + search, { body: CONTENT, headers: { 'Content-Type': 'image/png' } });
  await harness.call('POST', `/api/media/${body.data.assetId}/complete`, { key });
  const scheduledAt = new Date(START + 3_600_000).toISOString();
  const post = { text: 'Look', channelIds: channels, scheduledAt, media: [{ assetId: body.data.assetId }] };
  return (await harness.call('POST', '/api/posts', { key, body: post })).body.data;
}

/** What a process at `url` gives out for the one file that is stored, in any version of its address. */
async function addressesAt({ world }: OpenWorld, url: string): Promise<(addressVersion: number) => string> {
  const [stored] = await world.blobs.list('assets/', { after: null, limit: 1 });
  const addresses = createMediaAddresses({ baseUrl: () => url, secret: 'a secret of the installation' });
  return (addressVersion) => addresses.urlOf({ blob: stored!.name, contentType: 'image/png', addressVersion });
}

test('an address that leaked is void within seconds at every process, by no header it comes back, and the new one is good', async () => {
  await using open = await openIngressWorld();
  await using other = await openIngressHarness(open.world);
  const { harness, key, clock } = open;
  const post = await postWithFile(open);
  const atBoth = await Promise.all([harness.url, other.url].map((url) => addressesAt(open, url)));
  const read = async (version: number, headers = {}) =>
    Promise.all(atBoth.map(async (addressOf) => (await fetch(addressOf(version), { headers })).status));
  const { headers } = await fetch(atBoth[0]!(0));
  expect([await read(0), await read(1)]).toEqual([
    [200, 200],
    [200, 200],
  ]);
  const answer = await harness.call('POST', `/api/posts/${post.id}/void-file-addresses`, { key });
  expect([answer.status, answer.body.data.id]).toEqual([200, post.id]);
  await clock.advance(A_WHILE);
  expect([await read(0), await read(0, { 'If-None-Match': headers.get('etag') })]).toEqual([
    [404, 404],
    [404, 404],
  ]);
  expect(await read(1)).toEqual([200, 200]);
  expect(answer.body.data.media[0].url).toEqual(expect.any(String));
  await harness.call('POST', `/api/posts/${post.id}/void-file-addresses`, { key });
  await clock.advance(A_WHILE);
  expect([await read(0), await read(1), await read(2)]).toEqual([
    [404, 404],
    [404, 404],
    [200, 200],
  ]);
  await harness.call('POST', `/api/posts/${post.id}/cancel`, { key });
  await clock.advance(A_WHILE);
  expect(await read(2)).toEqual([404, 404]);
});

test('nobody makes an address of another version from one that was given out', async () => {
  const addresses = createMediaAddresses({ baseUrl: () => 'https://crier.test', secret: 'a secret' });
  const file = { blob: 'assets/a/original/1', contentType: 'image/png' } as const;
  const nameOf = (addressVersion: number) => addresses.urlOf({ ...file, addressVersion }).split('/media/')[1]!;
  expect(addresses.open(nameOf(0))).toEqual(file);
  expect(addresses.open(nameOf(3))).toEqual({ ...file, addressVersion: 3 });
  const [stem, ending] = [nameOf(0).slice(0, -4), '.png'];
  const made = [
    `${stem}.1${ending}`,
    `${stem}.0${ending}`,
    nameOf(3).replace('.3.', '.'),
    nameOf(3).replace('.3.', '.4.'),
  ];
  const spelt = [nameOf(3).replace('.3.', '.03.'), nameOf(3).replace('.3.', '.+3.'), nameOf(3).replace('.3.', '.3.0.')];
  expect([...made, ...spelt].map((name) => addresses.open(name))).toEqual([...made, ...spelt].map(() => null));
});
