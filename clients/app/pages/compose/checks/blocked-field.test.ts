import { expect, test } from 'vitest';
import { NETWORKS, type Network } from '#domain/network.ts';
import type { Draft, DraftFile } from '#domain/post/draft.ts';
import { blockedPlaceOf } from './blocked-field.ts';
import { LIMITS } from './network-limits.ts';

const file = (kind: 'image' | 'video', altText = '', durationMs: number | null = null): DraftFile => ({
  ...{ kind, contentType: `${kind}/any`, bytes: 1, durationMs, altText },
});

/** The fields at which a Network's problems with a good draft, changed so, are shown. */
function fieldsOf(network: Network, change: Partial<Draft>): readonly string[] {
  const media = network === 'youtube' ? [file('video')] : [file('image')];
  const good: Draft = {
    text: 'Tea',
    placement: 'feed',
    channel: { network, kind: '' },
    options: { privacy: 'public' },
    media,
  };
  return LIMITS[network]!.judge({ ...good, ...change }).map(({ part }) => blockedPlaceOf(part).field);
}

const LONG = 'long '.repeat(20_000);

test.each(NETWORKS)('what %s says is shown at the field it is about', (network) => {
  const fields = (change: Partial<Draft>) => [...new Set(fieldsOf(network, change))];
  expect(fields({})).toEqual([]);
  expect(fields({ text: LONG })).toEqual(['text']);
  expect(fields({ options: { privacy: 'public', firstComment: LONG } })).toEqual(
    network === 'tiktok' ? [] : ['firstComment'],
  );
  const many = Array.from({ length: 50 }, () => file(network === 'youtube' ? 'video' : 'image'));
  expect(fields({ media: many })).toEqual(['media']);
  const isQuiet = network === 'tiktok' || network === 'youtube';
  expect(fields({ media: [file(isQuiet ? 'video' : 'image', LONG)] })).toEqual(isQuiet ? [] : ['altText']);
  expect(fields({ media: [file('video', '', 1e10)] })).toEqual(['media']);
  const hasTextAlone = ['facebook', 'x', 'threads'].includes(network);
  expect(fields({ media: [] })).toEqual(hasTextAlone ? [] : ['media']);
  expect(fields({ placement: 'story', text: '' })).toEqual(
    ['facebook', 'instagram'].includes(network) ? [] : ['placement'],
  );
});

test.each<[Network, Draft['options'], string]>([
  ['threads', { topicTag: 'a.b' }, 'topicTag'],
  ['threads', { topicTag: ' ' }, 'topicTag'],
  ['tiktok', {}, 'privacy'],
  ['tiktok', { privacy: 'only_me', brandedContent: true }, 'disclosure'],
  ['tiktok', { privacy: 'public', aiGenerated: true }, 'aiGenerated'],
  ['tiktok', { privacy: 'public', title: LONG }, 'title'],
  ['youtube', { title: 'a < b' }, 'title'],
  ['youtube', { tags: [LONG] }, 'tags'],
  ['youtube', { firstComment: 'hi', madeForKids: true }, 'firstComment'],
  ['instagram', { collaborators: ['a', 'b', 'c', 'd'] }, 'collaborators'],
])('%s with %j: the blocker stands at %s', (network, options, field) => {
  expect(fieldsOf(network, { options })).toEqual([field]);
});

const ID = '0192f0c1-0000-7000-8000-000000000001';

test.each<[string | undefined, ReturnType<typeof blockedPlaceOf>]>([
  ['channelIds.2', { field: 'channels', file: null }],
  ['scheduledAt', { field: 'when', file: null }],
  ['text', { field: 'text', file: null }],
  [`channelOptions.${ID}.text`, { field: 'text', file: null }],
  [`channelOptions.${ID}.youtube.title`, { field: 'title', file: null }],
  [`channelOptions.${ID}.brandedContent`, { field: 'disclosure', file: null }],
  [`channelOptions.${ID}.playlistIds`, { field: 'other', file: null }],
  ['media', { field: 'media', file: null }],
  ['media.3', { field: 'media', file: 3 }],
  ['media.0.altText', { field: 'altText', file: 0 }],
  [undefined, { field: 'other', file: null }],
  ['something of a later release', { field: 'other', file: null }],
])('the path %s is shown at %j', (path, place) => {
  expect(blockedPlaceOf(path)).toEqual(place);
});
