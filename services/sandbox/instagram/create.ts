import { isRecord, json } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import type { Asked, InstagramDeps } from './asked.ts';
import { statusOf } from './containers.ts';
import type { Container, ContainerKind } from './containers.ts';
import { captionFits, judgeImage, judgeVideo, MOST_FETCHED_BYTES } from './file-rules.ts';
import { badCarousel, captionTooLong, MEDIA_ERRORS, mediaError, notReady, parameterError, unknownMediaType } from './graph-errors.ts';
import type { MediaFault } from './graph-errors.ts';

const IMAGE_READY_MS = 1_000;
const VIDEO_READY_MS = 20_000;
const MOST_ALT_TEXT = 1_000;
const MOST_ITEMS = 10;

/** The kind of container asked for, and whether of a video; null: there is none such. */
function kindOf(parameters: URLSearchParams): { readonly kind: ContainerKind; readonly video: boolean } | null {
  const type = parameters.get('media_type');
  const video = parameters.has('video_url') || parameters.get('upload_type') === 'resumable';
  if (type === 'CAROUSEL') return { kind: 'carousel', video: false };
  if (type === 'STORIES') return { kind: 'story', video };
  if (parameters.get('is_carousel_item') === 'true') return type === null || type === 'IMAGE' || type === 'VIDEO' ? { kind: 'child', video: type === 'VIDEO' } : null;
  if (type === 'REELS') return { kind: 'reel', video: true };
  return type === null || type === 'IMAGE' ? { kind: 'image', video: false } : null;
}

/** When processing ends, and how. */
function processingOf(video: boolean, fault: Asked['fault'], wrong: MediaFault | null, now: number, deps: InstagramDeps): Pick<Container, 'readyAt' | 'failure'> {
  if (fault?.fault === 'processing_stuck') return { readyAt: null, failure: null };
  const subcode = fault?.fault === 'processing_failed' ? (fault.reason ?? '2207026') : wrong === null ? null : String(MEDIA_ERRORS[wrong].subcode);
  const failure = subcode === null ? null : `Error: Media upload has failed with error code ${subcode}`;
  return { readyAt: now + deps.timing.scaled('instagram', video ? VIDEO_READY_MS : IMAGE_READY_MS), failure };
}

function keep(asked: Asked, deps: InstagramDeps, about: Pick<Container, 'kind' | 'file' | 'uploadId' | 'children' | 'readyAt' | 'failure'>): Container {
  const { parameters, account, now } = asked;
  const container: Container = {
    ...{ id: deps.remoteIds.next(), accountId: account.accountId, createdAt: now, mediaId: null },
    ...{ caption: about.kind === 'child' || about.kind === 'story' ? '' : (parameters.get('caption') ?? ''), altText: parameters.get('alt_text') },
    ...about,
  };
  deps.containers.put(container);
  return container;
}

/** POST /{ig}/media. Images are looked at now, videos while they are processed. */
export async function createContainer(asked: Asked, deps: InstagramDeps): Promise<Answer> {
  const { parameters, fault, now } = asked;
  const wanted = kindOf(parameters);
  if (wanted === null) return unknownMediaType();
  const { kind, video } = wanted;
  if (!captionFits(parameters.get('caption') ?? '')) return captionTooLong();
  const altText = parameters.get('alt_text') ?? '';
  if (altText.length > MOST_ALT_TEXT) return parameterError(`(#100) Param alt_text must be at most ${MOST_ALT_TEXT} characters long.`);
  if (altText !== '' && (video || kind === 'story')) return parameterError('(#100) Param alt_text is supported for images only.');
  if (kind === 'carousel') return createCarousel(asked, deps);
  if (parameters.get('upload_type') === 'resumable') {
    const { id } = keep(asked, deps, { kind, file: null, uploadId: deps.files.open(), children: [], readyAt: null, failure: null });
    return json(200, { id, uri: `${deps.baseUrl()}/sim/instagram/ig-api-upload/v25.0/${id}` });
  }
  const name = video ? 'video_url' : 'image_url';
  const url = parameters.get(name);
  if (!url) return parameterError(`(#100) The parameter ${name} is required`);
  const file = fault?.fault === 'media_fetch_blocked' ? null : await deps.fetchFile(url, MOST_FETCHED_BYTES);
  if (file === null) return mediaError('unreachable');
  const wrong = video ? judgeVideo(file, kind as 'reel' | 'story' | 'child') : judgeImage(file, kind);
  if (wrong !== null && !video) return mediaError(wrong);
  const { id } = keep(asked, deps, { kind, file, uploadId: null, children: [], ...processingOf(video, fault, wrong, now, deps) });
  return json(200, { id });
}

/** A comma list, or a JSON array. */
function childIds(request: Incoming, parameters: URLSearchParams): readonly string[] {
  const body = request.json();
  if (isRecord(body) && Array.isArray(body['children'])) return body['children'].map(String);
  const text = parameters.get('children') ?? '';
  return text.replace(/[[\]"\s]/g, '').split(',').filter((id) => id !== '');
}

function createCarousel(asked: Asked, deps: InstagramDeps): Answer {
  const { request, parameters, account, fault, now } = asked;
  const children = childIds(request, parameters);
  if (children.length < 2 || children.length > MOST_ITEMS || new Set(children).size < children.length) return badCarousel(`A carousel needs 2 to ${MOST_ITEMS} different items.`);
  for (const id of children) {
    const child = deps.containers.get(id);
    if (child === null || child.accountId !== account.accountId || child.kind !== 'child') return badCarousel(`The item ${id.slice(0, 60)} is not one for a carousel.`);
    const status = statusOf(child, now);
    if (status !== 'FINISHED') return status === 'IN_PROGRESS' ? notReady() : badCarousel(`The item ${id.slice(0, 60)} is ${status}.`);
  }
  const { id } = keep(asked, deps, { kind: 'carousel', file: null, uploadId: null, children, ...processingOf(false, fault, null, now, deps) });
  return json(200, { id });
}

/** POST /ig-api-upload/{v}/{container}: the bytes from `offset` on. */
export function uploadBytes(request: Incoming, containerId: string, accountId: string, fault: Asked['fault'], now: number, deps: InstagramDeps): Answer {
  const refused = (type: string, message: string, retriable: boolean) => json(400, { debug_info: { retriable, type, message } });
  const container = deps.containers.get(containerId);
  if (container === null || container.uploadId === null || container.accountId !== accountId) return refused('ResourceNotFoundError', 'The upload does not exist.', false);
  const done = json(200, { success: true, message: 'Upload successful.' });
  if (container.file !== null) return done;
  const [offset, size] = ['offset', 'file_size'].map((name) => (/^\d{1,15}$/.test(request.header(name)) ? Number(request.header(name)) : -1)) as [number, number];
  const came = deps.files.size(container.uploadId);
  if (offset < 0 || offset > came) return refused('OffsetInvalidError', `Request starting offset is invalid: ${came} bytes came.`, true);
  if (size < 1 || offset + request.bytes.length > size) return refused('PartialRequestError', 'The header file_size is missing or too small.', false);
  deps.files.write(container.uploadId, offset, request.bytes);
  if (deps.files.size(container.uploadId) < size) return done;
  const file: SandboxFile = deps.files.seal(container.uploadId);
  const wrong = judgeVideo(file, container.kind === 'story' ? 'story' : container.kind === 'child' ? 'child' : 'reel');
  deps.containers.put({ ...container, file, ...processingOf(true, fault, wrong, now, deps) });
  return done;
}
