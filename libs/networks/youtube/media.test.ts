import { expect, test } from 'vitest';
import type { Rendition } from '#ports/rendition-source.ts';
import { fixtureRenditions } from '#testing/media-fixtures.ts';
import type { Publication } from '../contract/adapter.ts';
import { videoOf } from './media.ts';
import { video } from './youtube.fixture.ts';

const HOURS_MS = 3_600_000;

test.each<[string, readonly Rendition[], Publication['placement'], 'video' | 'unfit']>([
  ['a real upright video', fixtureRenditions(['reel']), 'feed', 'video'],
  ['a real wide video', fixtureRenditions(['film']), 'feed', 'video'],
  ['a real photo', fixtureRenditions(['photo']), 'feed', 'unfit'],
  ['a MOV', [video(10, { contentType: 'video/quicktime' })], 'feed', 'video'],
  ['bytes of some kind', [video(10, { contentType: 'application/octet-stream' })], 'feed', 'video'],
  ['a video that is called a text', [video(10, { contentType: 'text/plain' })], 'feed', 'unfit'],
  ['two videos', [video(10), video(10)], 'feed', 'unfit'],
  ['an empty video', [video(0)], 'feed', 'unfit'],
  ['a video over 256 GB', [video(256_000_000_001)], 'feed', 'unfit'],
  ['a video of 12 hours', [video(10, { durationMs: 12 * HOURS_MS })], 'feed', 'video'],
  ['a longer one', [video(10, { durationMs: 12 * HOURS_MS + 1 })], 'feed', 'unfit'],
  ['a video of unknown length', [video(10, { durationMs: null })], 'feed', 'video'],
  ['nothing', [], 'feed', 'unfit'],
  ['a Story', [video(10)], 'story', 'unfit'],
])('%s', (_name, media, placement, kind) => {
  expect(videoOf({ placement, media }).kind).toBe(kind);
});
