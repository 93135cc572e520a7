import { type SandboxAnswer, textOf } from '../exchange.ts';
import { withinMinute, type PublishRequest, type TiktokCallOptions } from './publish-request.ts';
import { done, foreignPublication, invalidParameter, tooManyCalls, unknownPublication } from './envelope.ts';
import { statusOf, type TiktokPublication } from './publications.ts';
import { bytesCame } from './upload.ts';

/** The publication that the call names; an answer where it is missing or another account's. */
function named(
  { body, account }: PublishRequest,
  { publications }: TiktokCallOptions,
): TiktokPublication | SandboxAnswer {
  const publishId = body['publish_id'];
  if (typeof publishId !== 'string') return invalidParameter('publish_id is required.');
  const publication = publications.get(publishId);
  if (publication === null) return unknownPublication();
  return publication.accountId === account.accountId ? publication : foreignPublication();
}

/** Ids are written as JSON numbers, beyond what JavaScript can represent. */
function withPostId(answer: SandboxAnswer, postId: string): SandboxAnswer {
  return {
    ...answer,
    body: textOf(answer).replace('"publicaly_available_post_id":[]', `"publicaly_available_post_id":[${postId}]`),
  };
}

/** POST /v2/post/publish/status/fetch/ */
export function fetchStatus(call: PublishRequest, options: TiktokCallOptions): SandboxAnswer {
  if (!withinMinute('statusPerMinute', call, options)) return tooManyCalls();
  const publication = named(call, options);
  if ('status' in publication) return publication;
  const { upload, files, failReason, idShownAt, postId } = publication;
  const status = statusOf(publication, call.now);
  const bytes =
    files === null
      ? upload === null
        ? 0
        : bytesCame(upload, options)
      : files.reduce((sum, file) => sum + file.bytes, 0);
  const answer = done({
    status,
    fail_reason: status === 'FAILED' ? failReason : '',
    publicaly_available_post_id: [],
    uploaded_bytes: upload === null ? 0 : bytes,
    downloaded_bytes: upload === null ? bytes : 0,
  });
  const isShown =
    status === 'PUBLISH_COMPLETE' &&
    idShownAt !== null &&
    call.now >= idShownAt &&
    call.fault?.fault !== 'permalink_missing';
  return isShown ? withPostId(answer, postId!) : answer;
}

/** POST /v2/post/publish/cancel/: while bytes are missing, or when it never ends. */
export function cancel(call: PublishRequest, options: TiktokCallOptions): SandboxAnswer {
  const publication = named(call, options);
  if ('status' in publication) return publication;
  if (publication.readyAt !== null) return invalidParameter('The publication can not be cancelled any more.');
  if (publication.upload !== null) options.files.discard(publication.upload.uploadId);
  options.publications.put({ ...publication, files: [], failReason: 'publish_cancelled', readyAt: call.now });
  return done({});
}
