import { json, type SandboxAnswer } from '../exchange.ts';
import { filePath } from '../files/serve-file.ts';
import { badParameter, badVideo, googleError, missingParameter, videoNotFound } from './errors.ts';
import { ETAG } from './parts.ts';
import type { UploadRequest, YoutubeOptions } from './upload-request.ts';

const MAX_BYTES = 2 * 1_048_576;
const TYPES = ['image/jpeg', 'image/png', 'application/octet-stream'];
const PICTURES = ['image/jpeg', 'image/png'];

const invalidImage = () => badVideo('invalidImage', 'The provided image content is invalid.');

/** POST /upload/youtube/v3/thumbnails/set?uploadType=media: a picture of one's own for a video. */
export function setThumbnail(call: UploadRequest, options: YoutubeOptions): SandboxAnswer {
  const { request, query, account } = call;
  if (!query.has('videoId')) return missingParameter('videoId');
  if (query.get('uploadType') !== 'media')
    return badParameter('invalidParameter', 'uploadType', query.get('uploadType') ?? '');
  const item = options.items.get('youtube', account.accountId, query.get('videoId')!);
  if (item === null) return videoNotFound();
  const type = request.header('content-type').split(';')[0]!.trim().toLowerCase();
  if (request.bytes.length === 0 || !TYPES.includes(type))
    return badVideo('mediaBodyRequired', 'The request does not include the image content.');
  if (request.bytes.length > MAX_BYTES)
    return googleError(413, 'uploadTooLarge', `Media is too large. Limit: ${MAX_BYTES}`);
  const file = options.files.keep(request.bytes);
  if (!PICTURES.includes(file.contentType)) return invalidImage();
  const url = options.baseUrl() + filePath(file.sha256);
  const { width, height } = file;
  options.items.change(item, { options: { ...item.options, cover: { sha256: file.sha256 } } });
  return json(200, {
    kind: 'youtube#thumbnailSetResponse',
    etag: ETAG,
    items: [{ default: { url, width, height }, medium: { url, width, height }, high: { url, width, height } }],
  });
}
