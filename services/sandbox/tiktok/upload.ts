import { json } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { TiktokDeps } from './asked.ts';
import { tokenOf } from './init.ts';
import { complete } from './processing.ts';

const ADDRESS_LIFE_MS = 3_600_000;
const TYPES = ['video/mp4', 'video/quicktime', 'video/webm'];

/** PUT {upload_url}: chunks in order, each of the announced size; the last takes what is left. With its last byte the video is on its way. */
export function putChunk(request: Incoming, fault: Fault<NetworkFault> | null, deps: TiktokDeps): Answer {
  const uploadId = request.query.get('upload_id') ?? '';
  const publication = /^\d{1,20}$/.test(uploadId) && request.query.get('upload_token') === tokenOf(uploadId) ? deps.publications.byUpload(uploadId) : null;
  const now = deps.clock.now();
  if (publication === null) return json(404, {});
  if (now - publication.createdAt > ADDRESS_LIFE_MS) return json(403, {});
  const { size, chunkSize, chunks } = publication.upload!;
  const came = publication.files === null ? deps.files.size(uploadId) : size;
  const told = { 'content-range': `bytes 0-${came}/${size}` };
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(request.header('content-range')) ?? [];
  const [from, to] = [Number(first ?? -1), Number(last ?? -1)];
  if (Number(total ?? -1) !== size || to - from + 1 !== request.bytes.length || !TYPES.includes(request.header('content-type').split(';')[0]!)) return json(400, {});
  if (publication.files !== null || from !== came) return json(416, {}, told);
  const index = Math.floor(from / chunkSize);
  const expected = index >= chunks - 1 ? size - from : chunkSize;
  if (request.bytes.length !== expected) return json(400, {});
  deps.files.write(uploadId, from, request.bytes);
  if (to + 1 === size) complete(publication, [deps.files.seal(uploadId)], fault, now, deps);
  return json(to + 1 === size ? 201 : 206, {}, { 'content-range': `bytes 0-${to + 1}/${size}` });
}
