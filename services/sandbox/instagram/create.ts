import { json, type SandboxAnswer } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import type { ContainerRequest, InstagramOptions } from './container-request.ts';
import type { ItemOptions } from '../items.ts';
import { createCarousel } from './carousel.ts';
import { captionFits, judgeImage, judgeVideo, MAX_FILE_BYTES, videoKindOf } from './file-rules.ts';
import { captionTooLong, mediaError, parameterError, unknownMediaType, type MediaFault } from './graph-errors.ts';
import { keepContainer, processingOf } from './keep-container.ts';
import { readOptions, type RequestedContainer } from './post-options.ts';

const MAX_ALT_TEXT = 1_000;

/**
 * The requested kind of container, and whether it is a video; null: there is no such kind. A single video is a reel;
 * only reels are uploaded.
 */
function kindOf(parameters: URLSearchParams): RequestedContainer | null {
  const type = parameters.get('media_type') ?? 'IMAGE';
  const uploaded = parameters.get('upload_type') === 'resumable';
  const kind = ['true', '1'].includes(parameters.get('is_carousel_item') ?? '') ? 'child' : 'image';
  if (type === 'IMAGE') return uploaded ? null : { kind, video: false };
  if (kind === 'child') return type === 'VIDEO' ? { kind, video: true } : null;
  if (type === 'REELS') return { kind: 'reel', video: true };
  if (type === 'STORIES') return { kind: 'story', video: uploaded || parameters.has('video_url') };
  return type === 'CAROUSEL' ? { kind: 'carousel', video: false } : null;
}

/** The problem with the parameters beside the file. */
function refuseText(parameters: URLSearchParams, { kind, video }: RequestedContainer): SandboxAnswer | null {
  if (!captionFits(parameters.get('caption') ?? '')) return captionTooLong();
  const altText = parameters.get('alt_text') ?? '';
  if (altText.length > MAX_ALT_TEXT)
    return parameterError(`(#100) Param alt_text must be at most ${MAX_ALT_TEXT} characters long.`);
  if (altText !== '' && (video || (kind !== 'image' && kind !== 'child')))
    return parameterError('(#100) Param alt_text is supported for images only.');
  if (!/^\d{0,9}$/.test(parameters.get('thumb_offset') ?? ''))
    return parameterError('(#100) Param thumb_offset must be a number of milliseconds.');
  return null;
}

/** A file by its address, fetched as Instagram does. */
async function fetched(
  url: string,
  { fault }: ContainerRequest,
  { fetchFile }: InstagramOptions,
): Promise<SandboxFile | MediaFault> {
  if (fault?.fault === 'media_fetch_blocked') return fault.reason === 'slow' ? 'slow' : 'unreachable';
  return (await fetchFile(url, MAX_FILE_BYTES)) ?? 'unreachable';
}

interface CoverChoice {
  readonly option: Pick<ItemOptions, 'cover'>;
  /** Where in the video it is; 0 for a picture of its own. */
  readonly thumbOffsetMs: number;
}

/** What stands for a video. A picture of its own wins over an instant, which is then not read. */
async function coverOf(
  { kind, video }: RequestedContainer,
  call: ContainerRequest,
  options: InstagramOptions,
): Promise<CoverChoice | SandboxAnswer> {
  const coverUrl = kind === 'reel' ? call.parameters.get('cover_url') : null;
  if (coverUrl !== null) {
    const picture = await fetched(coverUrl, call, options);
    const wrong = typeof picture === 'string' ? picture : judgeImage(picture, 'cover');
    return typeof picture === 'string' || wrong !== null
      ? mediaError(wrong as MediaFault)
      : { option: { cover: { sha256: picture.sha256 } }, thumbOffsetMs: 0 };
  }
  const offset = call.parameters.get('thumb_offset') ?? '';
  const thumbOffsetMs = Number(offset);
  const isInstant = video && kind === 'reel' && offset !== '';
  return { option: isInstant ? { cover: { atSeconds: thumbOffsetMs / 1_000 } } : {}, thumbOffsetMs };
}

/** POST /{ig}/media. Images are inspected now, videos while they are processed. */
export async function createContainer(call: ContainerRequest, options: InstagramOptions): Promise<SandboxAnswer> {
  const { parameters } = call;
  const wanted = kindOf(parameters);
  if (wanted === null) return unknownMediaType();
  const refused = refuseText(parameters, wanted);
  if (refused !== null) return refused;
  const given = readOptions(call, wanted, options.accounts);
  if ('status' in given) return given;
  const { kind, video } = wanted;
  if (kind === 'carousel') return createCarousel(call, given, options);
  if (kind === 'story' && video && parameters.has('image_url'))
    return parameterError('(#100) Only one of the parameters image_url and video_url may be given');
  const isUpload = parameters.get('upload_type') === 'resumable';
  const name = video ? 'video_url' : 'image_url';
  const url = parameters.get(name) ?? '';
  if (!isUpload && url === '') return parameterError(`(#100) The parameter ${name} is required`);
  const file = isUpload ? null : await fetched(url, call, options);
  if (typeof file === 'string') return mediaError(file);
  const cover = await coverOf(wanted, call, options);
  if ('status' in cover) return cover;
  const { thumbOffsetMs } = cover;
  const about = { kind, children: [], thumbOffsetMs, options: { ...given, ...cover.option } } as const;
  if (file === null) {
    const upload = { ...about, file, uploadId: options.files.open(), readyAt: null, failure: null };
    return keepContainer(call, options, upload, (id) =>
      json(200, { id, uri: `${options.baseUrl()}/sim/instagram/ig-api-upload/${call.version}/${id}` }),
    );
  }
  const wrongImage = video ? null : judgeImage(file, kind);
  if (wrongImage !== null) return mediaError(wrongImage);
  const wrongVideo = video ? judgeVideo(file, videoKindOf(kind), thumbOffsetMs) : null;
  return keepContainer(call, options, {
    ...about,
    file,
    uploadId: null,
    ...processingOf({ isVideo: video, fault: call.fault, wrong: wrongVideo, now: options.clock.now() }, options),
  });
}
