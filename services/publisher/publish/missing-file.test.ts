import { expect, test } from 'vitest';
import type { Network } from '#domain/network.ts';
import { PortError } from '#ports/errors.ts';
import type { Rendition, RenditionSource } from '#ports/rendition-source.ts';
import { renditionOf } from '#testing/publication.ts';
import { openPublishHarness } from './publish-harness.fixture.ts';

const LARGE = 24 * 1024 * 1024;

/** Rows name a file that the store of files does not have, as after a restore without its files. */
function lost(kind: Rendition['kind'], bytes: number): RenditionSource {
  const about =
    kind === 'video' ? { contentType: 'video/mp4', sha256: 'film' } : { contentType: 'image/jpeg', sha256: 'photo' };
  const file: Rendition = {
    ...renditionOf(new Uint8Array(1), { kind, ...about }),
    bytes,
    read: async () => {
      throw new PortError('refused', 'there is no blob w/1');
    },
  };
  return { filesOf: async () => ({ kind: 'ready', files: [file] }) };
}

test.each<[Network, Rendition['kind'], number]>([
  ['x', 'image', 1_000],
  ['x', 'video', LARGE],
  ['facebook', 'image', 1_000],
  ['facebook', 'video', LARGE],
  ['tiktok', 'video', LARGE],
  ['tiktok', 'video', 1_000],
  ['youtube', 'video', LARGE],
  ['youtube', 'video', 1_000],
])('on %s, a Variant whose %s of %i bytes is gone from the store of files fails for its files', async (...of) => {
  const [network, kind, bytes] = of;
  const attempts = await openPublishHarness(network, { renditions: lost(kind, bytes) });
  const machine = attempts.worker();
  await machine.run(attempts.job);
  await attempts.settle(machine);
  expect(attempts.concluded).toHaveLength(1);
  expect(attempts.concluded[0]!.verdict).toMatchObject({ kind: 'failed', reason: 'media_problem' });
  expect(await attempts.live()).toEqual([]);
});
