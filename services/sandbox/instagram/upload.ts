import { json, type SandboxAnswer } from '../exchange.ts';
import type { ContainerRequest, InstagramOptions } from './container-request.ts';
import { statusOf } from '../graph/container-status.ts';
import { isVideo, judgeVideo, MAX_FILE_BYTES, videoKindOf } from './file-rules.ts';
import { MEDIA_ERRORS } from './graph-errors.ts';
import { failedWith, processingOf } from './keep-container.ts';

function refused(status: number, type: string, message: string, retriable: boolean): SandboxAnswer {
  return json(status, { debug_info: { retriable, type, message } });
}

/**
 * POST /ig-api-upload/{v}/{container}: all bytes from offset 0, or the continuation of those received. Offset 0 begins
 * anew; any other offset than the end of the received bytes is refused. Sending to a complete container changes
 * nothing.
 */
export function uploadBytes(
  containerId: string,
  { request, account, fault, now }: ContainerRequest,
  options: InstagramOptions,
): SandboxAnswer {
  const container = options.containers.get(containerId);
  if (
    container === null ||
    container.uploadId === null ||
    container.accountId !== account.accountId ||
    statusOf(container, now) === 'EXPIRED'
  ) {
    return refused(404, 'ResourceNotFoundError', 'The upload does not exist.', false);
  }
  const done = json(200, { success: true, message: 'Upload successful.' });
  if (container.file !== null) return done;
  const { uploadId } = container;
  const [offset = -1, size = -1] = ['offset', 'file_size'].map((name) =>
    /^\d{1,15}$/.test(request.header(name)) ? Number(request.header(name)) : -1,
  );
  const came = options.files.size(uploadId);
  if (offset !== 0 && offset !== came)
    return refused(400, 'OffsetInvalidError', `Request starting offset is invalid: ${came} bytes came.`, true);
  if (size < 1 || size > MAX_FILE_BYTES || offset + request.bytes.length > size)
    return refused(
      400,
      'PartialRequestError',
      'The header file_size is missing, too large or less than what came.',
      false,
    );
  if (offset === 0) options.files.discard(uploadId);
  options.files.write(uploadId, offset, request.bytes);
  if (offset + request.bytes.length < size) return done;
  const file = options.files.seal(uploadId);
  if (!isVideo(file)) {
    options.containers.put({ ...container, file, readyAt: now, failure: failedWith(MEDIA_ERRORS.video.subcode) });
    return refused(400, 'ProcessingFailedError', 'Request processing failed', false);
  }
  const wrong = judgeVideo(file, videoKindOf(container.kind), container.thumbOffsetMs);
  options.containers.put({ ...container, file, ...processingOf({ isVideo: true, fault, wrong, now }, options) });
  return done;
}
