import { json, type SandboxAnswer } from '../exchange.ts';
import type { FacebookOptions, PageRequest } from './page-request.ts';
import { unsupported } from './graph-errors.ts';

/**
 * DELETE /{object}: of an object that is not public. A photo in a post is deleted with the post, never alone. Public
 * objects stay, unlike at the real Facebook: they are the truth that tests compare, and a duplicate must not be hidden
 * by deleting it.
 */
export function deleteObject(id: string, { pageId }: PageRequest, { records, files }: FacebookOptions): SandboxAnswer {
  const { photos, posts, videos } = records;
  const [photo, post, video] = [photos.get(id), posts.get(id), videos.get(id)];
  const own = (one: { readonly pageId: string } | null) => one?.pageId === pageId;
  if (own(post) && post!.publishedAt === null) {
    for (const photoId of post!.photoIds) if (photos.get(photoId)?.postId === id) photos.delete(photoId);
    posts.delete(id);
  } else if (own(photo) && photo!.postId === null && photo!.storyId === null) photos.delete(id);
  else if (own(video) && video!.finishedAt === null) {
    files.discard(video!.uploadId);
    videos.delete(id);
  } else return unsupported('delete', id);
  return json(200, { success: true });
}
