import { json, type SandboxAnswer } from '../exchange.ts';
import type { FacebookOptions, PageRequest } from './page-request.ts';
import { parameterError } from './graph-errors.ts';
import { storyGoesLive } from './live.ts';
import { photoOf, wasSeen } from './photos.ts';

/** POST /{page}/photo_stories: an unpublished photo becomes a Story, once. */
export function createPhotoStory({ parameters, pageId, now }: PageRequest, options: FacebookOptions): SandboxAnswer {
  const { records, remoteIds } = options;
  const id = parameters.get('photo_id') ?? '';
  if (id === '') return parameterError('(#100) The parameter photo_id is required');
  const photo = photoOf(id, pageId, now, records);
  if (photo === null) return parameterError('(#100) The parameter photo_id must be that of a photo of this Page.');
  if (wasSeen(photo, records)) return parameterError('(#100) The photo was published already.');
  const storyId = remoteIds.next();
  records.photos.put({ ...photo, storyId });
  storyGoesLive({ id: storyId, pageId, mediaId: id, mediaType: 'photo' }, photo.file, now, options);
  return json(200, { success: true, post_id: storyId });
}
