import { expect, test } from 'vitest';
import type { ChannelOptions } from '../../post/channel-options.ts';
import { pathOf } from './blocked-path.ts';

test.each<[Parameters<typeof pathOf>[0], ChannelOptions | undefined, string]>([
  ['text', undefined, 'text'],
  ['text', { text: '' }, 'channelOptions.c.text'],
  ['media', { text: 'own' }, 'media'],
  ['media.3.altText', {}, 'media.3.altText'],
  ['privacy', {}, 'channelOptions.c.privacy'],
  ['title', {}, 'channelOptions.c.title'],
  ['title', { youtube: { title: 'T' } }, 'channelOptions.c.youtube.title'],
  ['title', { title: 'T', youtube: { title: 'T' } }, 'channelOptions.c.title'],
])('%s with %j is put right at %s', (part, options, path) => {
  expect(pathOf(part, 'c', options)).toBe(path);
});
