import { permalinkPath, storyPath, videoPath } from './public-paths.ts';
import type { FacebookOptions } from './page-request.ts';
import type { PagePost, Photo, FacebookVideo } from './records.ts';
import { coverOf } from './thumbnails.ts';

/** The card of the parameter `link` alone: an address in the message makes none, and photos leave no room for one. */
export const cardOf = ({ link, photoIds }: PagePost): { readonly url: string } | null =>
  link === undefined || photoIds.length > 0 ? null : { url: link };

/** Publishes the post, with its photos. */
export function goLive(post: PagePost, now: number, { records, items }: FacebookOptions): void {
  const photos = post.photoIds.map((id) => records.photos.get(id)!);
  for (const photo of photos) records.photos.put({ ...photo, postId: post.id });
  records.posts.put({ ...post, publishedAt: now });
  items.add({
    network: 'facebook',
    accountId: post.pageId,
    remoteId: post.id,
    placement: 'feed',
    text: post.message,
    media: photos.map(({ file: { sha256, bytes, contentType } }) => ({ sha256, bytes, contentType })),
    altTexts: photos.map(({ altText }) => altText),
    publishedAt: now,
    path: permalinkPath(post.id),
    options: post.link === undefined ? {} : { link: true },
    link: cardOf(post),
  });
}

/** A video that is to be published counts as live from now on, however long its processing takes. */
export function videoGoesLive(video: FacebookVideo, now: number, options: FacebookOptions): void {
  const { kind, id, pageId, postId, description, title, file } = video;
  if (kind === 'story')
    return storyGoesLive({ id: postId!, pageId, mediaId: id, mediaType: 'video' }, file!, now, options);
  options.items.add({
    network: 'facebook',
    accountId: pageId,
    remoteId: id,
    placement: 'feed',
    text: description,
    ...(title === null ? {} : { title }),
    media: [{ sha256: file!.sha256, bytes: file!.bytes, contentType: file!.contentType }],
    altTexts: [null],
    publishedAt: now,
    path: videoPath(video),
    options: coverOf(video),
  });
}

interface NewStory {
  readonly id: string;
  readonly pageId: string;
  readonly mediaId: string;
  readonly mediaType: 'photo' | 'video';
}

export function storyGoesLive(
  story: NewStory,
  { sha256, bytes, contentType }: Photo['file'],
  now: number,
  { records, items }: FacebookOptions,
): void {
  records.stories.put({ ...story, createdAt: now });
  items.add({
    network: 'facebook',
    accountId: story.pageId,
    remoteId: story.id,
    placement: 'story',
    text: '',
    media: [{ sha256, bytes, contentType }],
    altTexts: [null],
    publishedAt: now,
    path: storyPath(story.id),
  });
}
