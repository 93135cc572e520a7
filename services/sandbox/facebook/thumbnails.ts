import { json, type SandboxAnswer } from '../exchange.ts';
import { filePath } from '../files/serve-file.ts';
import { bearer } from '../graph/parameters.ts';
import type { ItemOptions } from '../items.ts';
import { badImage, largeImage, parameterError, unsupported } from './graph-errors.ts';
import { listed } from './lists.ts';
import { bytesOfPart, flagOf, type FacebookOptions, type PageRequest } from './page-request.ts';
import type { FacebookVideo } from './records.ts';
import { isExpired } from './video-status.ts';

const MAX_BYTES = 10 * 1_048_576;

/** The Page's video that may have thumbnails; null: there is none of that id. */
function videoOf(id: string, { pageId, now }: PageRequest, { records }: FacebookOptions): FacebookVideo | null {
  const video = records.videos.get(id);
  return video === null || video.pageId !== pageId || video.kind === 'story' || isExpired(video, now) ? null : video;
}

/** What an item says of the thumbnail that stands for its video. */
export function coverOf({ thumbnails = [] }: FacebookVideo): Pick<ItemOptions, 'cover'> {
  const preferred = thumbnails.findLast(({ isPreferred }) => isPreferred);
  return preferred === undefined ? {} : { cover: { sha256: preferred.sha256 } };
}

/** The video with one more thumbnail; an answer where the bytes are no picture. */
export function withThumbnail(
  video: FacebookVideo,
  bytes: Uint8Array,
  isPreferred: boolean,
  { files, remoteIds }: FacebookOptions,
): FacebookVideo | SandboxAnswer {
  const { sha256, width, height, contentType } = files.keep(bytes);
  if (!contentType.startsWith('image/')) return badImage();
  if (bytes.length > MAX_BYTES) return largeImage();
  const thumbnail = { id: remoteIds.next(), sha256, width, height, isPreferred };
  return { ...video, thumbnails: [...(video.thumbnails ?? []), thumbnail] };
}

/** POST /{video}/thumbnails, before or after the video is live. */
export async function createThumbnail(id: string, call: PageRequest, options: FacebookOptions): Promise<SandboxAnswer> {
  const { records, items } = options;
  const bytes = await bytesOfPart(call.parts, 'source');
  const video = videoOf(id, call, options);
  if (video === null) return unsupported('post', id);
  if (bytes === null) return parameterError('(#100) The parameter source is required');
  const isPreferred = flagOf(call.parameters, 'is_preferred', false);
  if (isPreferred === null) return parameterError('(#100) Param is_preferred must be a boolean.');
  const changed = withThumbnail(video, bytes, isPreferred, options);
  if ('status' in changed) return changed;
  records.videos.put(changed);
  const item = items.get('facebook', call.pageId, id);
  if (item !== null) items.change(item, { options: { ...item.options, ...coverOf(changed) } });
  return json(200, { success: true });
}

/** GET /{video}/thumbnails */
export function listThumbnails(id: string, call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const { request, parameters } = call;
  const video = videoOf(id, call, options);
  if (video === null) return unsupported('get', id);
  const baseUrl = options.baseUrl();
  const entries = (video.thumbnails ?? []).map((thumbnail) => {
    const { width, height, isPreferred, sha256 } = thumbnail;
    const all = {
      id: thumbnail.id,
      width,
      height,
      is_preferred: isPreferred,
      uri: baseUrl + filePath(sha256),
      scale: 1,
    };
    return { key: thumbnail.id, all: () => ({ ...all, name: '' }) };
  });
  const usual = ['height', 'scale', 'uri', 'width', 'is_preferred'];
  return listed(entries, request, parameters, {
    kind: 'VideoThumbnail',
    usual,
    baseUrl,
    token: bearer(request, parameters),
  });
}
