import { isRecord, type SandboxAnswer } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import { isPostedOut, withinMinute, type PublishRequest, type TiktokCallOptions } from './publish-request.ts';
import { done, invalidParameter, tooManyCalls, tooManyPosts, unverifiedUrl } from './envelope.ts';
import { readPostInfo, type PostInfo } from './post-info.ts';
import { complete } from './processing.ts';
import type { ChunkedUpload, TiktokPublication } from './publications.ts';
import { uploadAddress } from './upload.ts';
import { isVerified } from './verified.ts';

const MEGABYTE = 1_000_000;
const MAX_VIDEO_BYTES = 4_000 * MEGABYTE;
const MAX_PHOTO_BYTES = 20 * MEGABYTE;
const MIN_CHUNK_BYTES = 5 * MEGABYTE;
const MAX_CHUNK_BYTES = 64 * MEGABYTE;
const MAX_CHUNKS = 1_000;
const MAX_PHOTOS = 35;

type Source = Readonly<Record<string, unknown>>;
type Content = Pick<TiktokPublication, 'kind' | 'upload'> & PostInfo;

/** Why the account can't begin another post now; null: it can. */
function refuseInit(call: PublishRequest, options: TiktokCallOptions): SandboxAnswer | null {
  if (!withinMinute('initsPerMinute', call, options)) return tooManyCalls();
  return isPostedOut(call.account.accountId, options, call.now) ? tooManyPosts() : null;
}

function begin(
  prefix: string,
  content: Content,
  { account, fault, now }: PublishRequest,
  { publications, remoteIds }: TiktokCallOptions,
): TiktokPublication {
  const publication: TiktokPublication = {
    ...content,
    publishId: `${prefix}~v2-1.${remoteIds.next()}`,
    accountId: account.accountId,
    fate: fault === null ? null : { fault: fault.fault, reason: fault.reason },
    ...{ files: null, createdAt: now, readyAt: null, failReason: null, idShownAt: null, postId: null },
  };
  publications.put(publication);
  return publication;
}

/** The files at these addresses; null when one of them does not arrive. */
async function pull(
  urls: readonly string[],
  maxBytes: number,
  { fault }: PublishRequest,
  { fetchFile }: TiktokCallOptions,
): Promise<readonly SandboxFile[] | null> {
  if (fault?.fault === 'media_fetch_blocked') return null;
  const files: SandboxFile[] = [];
  for (const url of urls) {
    const file = await fetchFile(url, maxBytes);
    if (file === null) return null;
    files.push(file);
  }
  return files;
}

/**
 * POST /v2/post/publish/video/init/: without effect where bytes are to be sent; where they are pulled, it may be public
 * from here on.
 */
export async function initVideo(call: PublishRequest, options: TiktokCallOptions): Promise<SandboxAnswer> {
  const source = call.body['source_info'];
  if (!isRecord(source)) return invalidParameter('source_info is required.');
  const info = readPostInfo(call, 'video', options);
  if ('status' in info) return info;
  if (source['source'] === 'FILE_UPLOAD')
    return initUpload(source, { ...info, kind: 'video', upload: null }, call, options);
  if (source['source'] !== 'PULL_FROM_URL') return invalidParameter('source must be FILE_UPLOAD or PULL_FROM_URL.');
  const url = source['video_url'];
  if (typeof url !== 'string' || url === '') return invalidParameter('video_url is required.');
  if (!isVerified(url, options.verifiedDomains ?? [])) return unverifiedUrl();
  const files = await pull([url], MAX_VIDEO_BYTES, call, options);
  const refused = refuseInit(call, options);
  if (refused !== null) return refused;
  const publication = begin('v_pub_url', { ...info, kind: 'video', upload: null }, call, options);
  complete(publication, files, call.now, options);
  return done({ publish_id: publication.publishId });
}

/** The announced chunks; a message where they do not add up. */
function readChunks(source: Source): Omit<ChunkedUpload, 'uploadId'> | string {
  const { video_size: size, chunk_size: chunkSize, total_chunk_count: chunks } = source;
  const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
  if (!isWhole(size) || size > MAX_VIDEO_BYTES) return 'video_size must be from 1 byte to 4 GB.';
  if (!isWhole(chunkSize) || !isWhole(chunks)) return 'chunk_size and total_chunk_count are required.';
  const whole = size <= MAX_CHUNK_BYTES && chunkSize === size;
  if (!whole && (chunkSize < MIN_CHUNK_BYTES || chunkSize > MAX_CHUNK_BYTES)) return 'The chunk size is invalid.';
  if (chunks !== Math.floor(size / chunkSize) || chunks > MAX_CHUNKS || (chunks === 1 && size > MAX_CHUNK_BYTES))
    return 'The total chunk count is invalid.';
  return { size, chunkSize, chunks };
}

function initUpload(source: Source, content: Content, call: PublishRequest, options: TiktokCallOptions): SandboxAnswer {
  const chunks = readChunks(source);
  if (typeof chunks === 'string') return invalidParameter(chunks);
  const refused = refuseInit(call, options);
  if (refused !== null) return refused;
  const upload = { ...chunks, uploadId: options.files.open() };
  const { publishId } = begin('v_pub_file', { ...content, upload }, call, options);
  return done({ publish_id: publishId, upload_url: uploadAddress(options.baseUrl(), upload.uploadId) });
}

/** The photos that are to be pulled; a message where they can't be. */
function readPhotos({ body }: PublishRequest): readonly string[] | string {
  if (body['media_type'] !== 'PHOTO') return 'media_type must be PHOTO.';
  if (body['post_mode'] !== 'DIRECT_POST') return 'post_mode must be DIRECT_POST.';
  const source = body['source_info'];
  if (!isRecord(source) || source['source'] !== 'PULL_FROM_URL') return 'source must be PULL_FROM_URL.';
  const { photo_images: urls, photo_cover_index: cover } = source;
  if (!Array.isArray(urls) || urls.length < 1 || urls.length > MAX_PHOTOS)
    return `photo_images must name 1 to ${MAX_PHOTOS} photos.`;
  if (!urls.every((url): url is string => typeof url === 'string')) return 'photo_images must be addresses.';
  if (!Number.isSafeInteger(cover) || (cover as number) < 0 || (cover as number) >= urls.length)
    return 'photo_cover_index must be that of a photo.';
  return urls;
}

/** POST /v2/post/publish/content/init/: from here on it may be public. */
export async function initPhotos(call: PublishRequest, options: TiktokCallOptions): Promise<SandboxAnswer> {
  const urls = readPhotos(call);
  if (typeof urls === 'string') return invalidParameter(urls);
  const info = readPostInfo(call, 'photo', options);
  if ('status' in info) return info;
  if (!urls.every((url) => isVerified(url, options.verifiedDomains ?? []))) return unverifiedUrl();
  const files = await pull(urls, MAX_PHOTO_BYTES, call, options);
  const refused = refuseInit(call, options);
  if (refused !== null) return refused;
  const publication = begin('p_pub_url', { ...info, kind: 'photo', upload: null }, call, options);
  complete(publication, files, call.now, options);
  return done({ publish_id: publication.publishId });
}
