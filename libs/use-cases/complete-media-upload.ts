import type { Asset } from '#domain/media/asset.ts';
import { kindOfType } from '#domain/media/file-facts.ts';
import type { CompleteUpload } from '#domain/workspace/commands.ts';
import type { CompletedFile } from '#domain/workspace/results.ts';
import { authorize } from '#domain/workspace/decision-context.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import { lackOfRight } from '#domain/workspace/member-rights.ts';
import type { UploadRows } from '#tables/repositories/uploads.ts';
import type { ApiCall } from './caller.ts';
import type { AssetReader, JudgeFile, WorkspaceReader } from './dependencies.ts';
import { done, failed, settled, type UseCaseResult } from './outcome.ts';
import type { RequestTurns } from './request-turns.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from './submit-command.ts';

export interface CompleteMediaUploadOptions extends SubmitCommandOptions {
  readonly assets: AssetReader;
  readonly uploads: UploadRows;
  readonly blobs: Pick<BlobStore, 'head' | 'delete'>;
  readonly judge: JudgeFile;
  readonly turns: RequestTurns;
  readonly workspaces: Pick<WorkspaceReader, 'state'>;
}

const NO_UPLOAD = failed('not_found', 'There is no such upload in this Workspace.');

type Found = Pick<CompleteUpload, 'file' | 'problem'>;
const NOTHING: Found = { file: null, problem: null };
type Looked = Found & { readonly arrived: string | null };

/**
 * Completes an upload: a file that is sent to its address later is ignored. The stored file is judged by its bytes, and
 * the result sent to the Workspace, which removes an upload whose file is incomplete or of a type that Crier does not
 * take.
 */
export async function completeMediaUpload(
  call: ApiCall,
  assetId: string,
  options: CompleteMediaUploadOptions,
): Promise<UseCaseResult<CompletedFile>> {
  const found = await settled('read', async () => {
    const asset = await options.assets(call.workspaceId, assetId);
    if (asset === null) return NO_UPLOAD;
    if (asset.state !== 'reserved') return done<Looked>({ ...NOTHING, arrived: null });
    const refused = await refusalNow(call, assetId, options);
    return refused ?? options.turns.run('judging', call, async () => done(await look(asset, options)));
  });
  if (!found.ok) return found;
  const { arrived, ...judged } = found.value;
  const answer = await submitCommand(
    { ...requestEnvelopeOf(call, options), type: 'CompleteUpload', assetId, ...judged },
    options,
  );
  if (!answer.ok) return answer;
  const { result } = answer.value;
  if (result.kind !== 'completed') throw new Error(`CompleteUpload came to a ${result.kind}`);
  // Not before: until the Workspace counts the copy, a repetition judges what arrived. Housekeeping removes it, if this
  // is cut off.
  if (arrived !== null && judged.file !== null && judged.file.blob !== arrived)
    await settled('change', async () => done(await options.blobs.delete(arrived)));
  return done(result.file);
}

/**
 * Checks the caller against the Workspace's last turn, not against the credential cache. The upload is sealed before
 * the command is decided: without this check a key that was revoked a moment ago could still close the upload of
 * another key, and a viewer that of an editor.
 */
async function refusalNow(
  call: ApiCall,
  assetId: string,
  { workspaces, ...options }: CompleteMediaUploadOptions,
): Promise<Extract<UseCaseResult<never>, { ok: false }> | null> {
  const state = await workspaces.state(call.workspaceId);
  if (state === null) return NO_UPLOAD;
  const standing = authorize(state, call.credential, 'posts:schedule');
  if (!standing.ok) return failed(standing.code, standing.message);
  if (standing.member === null) return null;
  const asked = { ...requestEnvelopeOf(call, options), type: 'CompleteUpload', assetId, ...NOTHING } as const;
  const lack = lackOfRight(state, standing.member, asked);
  return lack === null ? null : failed('forbidden', lack);
}

async function look(
  { workspaceId, id, announced }: Asset,
  { uploads, blobs, judge }: CompleteMediaUploadOptions,
): Promise<Looked> {
  const arrived = await uploads.seal(id);
  if (
    arrived === null ||
    arrived.bytes !== announced.bytes ||
    (await blobs.head(arrived.blob))?.bytes !== arrived.bytes
  )
    return { ...NOTHING, arrived: null };
  const judged = await judge(workspaceId, arrived);
  if (judged.kind === 'refused') return { file: null, problem: judged.detail, arrived: null };
  const reservedKind = kindOfType(announced.contentType);
  if (judged.facts.kind !== reservedKind) {
    const problem = `The upload was reserved for ${reservedKind === 'image' ? 'an image' : 'a video'}, and the file is ${reservedKind === 'image' ? 'a video' : 'an image'}.`;
    return { file: null, problem, arrived: null };
  }
  return { file: { blob: judged.blob, facts: judged.facts }, problem: null, arrived: arrived.blob };
}
