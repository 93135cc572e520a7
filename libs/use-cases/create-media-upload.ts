import { judgeAnnounced } from '#domain/media/announced-file.ts';
import { kindOfType } from '#domain/media/file-facts.ts';
import { isoOf } from '#domain/post/render.ts';
import type { Ids } from '#ports/ids.ts';
import type { CreateMediaUploadInput } from '#schemas/http/media-requests.ts';
import type { ApiCall } from './caller.ts';
import type { VideosUnavailable } from './dependencies.ts';
import { done, failed, type UseCaseResult } from './outcome.ts';
import type { UploadAddresses } from './upload-addresses.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';

export interface CreateMediaUploadOptions extends SubmitCommandOptions {
  readonly ids: Ids;
  readonly uploadAddresses: UploadAddresses;
  readonly videosOff: VideosUnavailable;
  /** Where clients reach the API. */
  readonly publicUrl: () => string;
}

export interface MediaUploadBody {
  readonly assetId: string;
  readonly uploadUrl: string;
  readonly expiresAt: string;
}

/** Reserves storage for one file, and returns the address to send it to. */
export async function createMediaUpload(
  call: ApiCall,
  input: CreateMediaUploadInput,
  options: CreateMediaUploadOptions,
): Promise<UseCaseResult<MediaUploadBody>> {
  const { filename, bytes } = input;
  const judged = judgeAnnounced(input);
  if (!judged.ok) return failed('media_unacceptable', judged.message);
  const { contentType } = judged;
  const off = kindOfType(contentType) === 'video' ? await options.videosOff() : null;
  if (off !== null) return failed('media_unacceptable', off);
  const asked = requestEnvelopeOf(call, options);
  const answer = await submitCommand(
    { ...asked, type: 'ReserveUpload', assetId: options.ids.uuid7(asked.issuedAt), filename, contentType, bytes },
    options,
  );
  if (!answer.ok) return answer;
  const { result } = answer.value;
  if (result.kind !== 'reserved') throw new Error(`ReserveUpload came to a ${result.kind}`);
  const { assetId, expiresAt } = result;
  const uploadUrl = options.publicUrl() + options.uploadAddresses.pathOf({ assetId, contentType, bytes, expiresAt });
  return done({ assetId, uploadUrl, expiresAt: isoOf(expiresAt) });
}
