import { expect, test } from 'vitest';
import type { Rendition } from '#ports/rendition-source.ts';
import { fixtureRenditions } from '#testing/media-fixtures.ts';
import type { Publication } from '../contract/adapter.ts';
import { kindOf } from './media.ts';
import { photo, video } from './tiktok.fixture.ts';

test.each<[string, readonly Rendition[], Publication['placement'], 'video' | 'photos' | 'unfit']>([
  ['real photos', fixtureRenditions(['photo', 'square', 'wideshot']), 'feed', 'photos'],
  ['a real video', fixtureRenditions(['reel']), 'feed', 'video'],
  ['a PNG', fixtureRenditions(['picture']), 'feed', 'unfit'],
  ['a WebP', [photo('a', { contentType: 'image/webp' })], 'feed', 'photos'],
  ['a photo over 20 MB', [{ ...photo('a'), bytes: 20_000_001 }], 'feed', 'unfit'],
  ['35 photos', Array.from({ length: 35 }, () => photo('a')), 'feed', 'photos'],
  ['36 photos', Array.from({ length: 36 }, () => photo('a')), 'feed', 'unfit'],
  ['a video over 4 GB', [video(4_000_000_001)], 'feed', 'unfit'],
  ['a video of less than 3 s', [video(10, { durationMs: 2_999 })], 'feed', 'unfit'],
  ['a video of more than 10 minutes', [video(10, { durationMs: 600_001 })], 'feed', 'unfit'],
  ['a narrow video', [video(10, { width: 359 })], 'feed', 'unfit'],
  ['an AVI', [video(10, { contentType: 'video/x-msvideo' })], 'feed', 'unfit'],
  ['two videos', [video(10), video(10)], 'feed', 'unfit'],
  ['a mix', [photo('a'), video(10)], 'feed', 'unfit'],
  ['nothing', [], 'feed', 'unfit'],
  ['a Story', [video(10)], 'story', 'unfit'],
])('%s', (_name, media, placement, kind) => {
  expect(kindOf({ placement, media }).kind).toBe(kind);
});
