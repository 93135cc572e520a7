import type { Asset } from '../../media/asset.ts';
import { kindOfType } from '../../media/file-facts.ts';
import type { MediaReference, PostFile } from '../../post/post.ts';
import type { CreatePost } from '../commands.ts';
import { loaded } from '../post-changes.ts';
import type { Refusal } from '../results.ts';
import { refusal, type DecisionContext } from '../decision-context.ts';
import type { DraftFile } from '../../post/draft.ts';

/** A file that the Post would have. */
export interface Attachment {
  /** As it is once the Post has it. */
  readonly asset: Asset;
  readonly file: PostFile;
  readonly draft: DraftFile;
}

export type Attachments = { readonly ok: true; readonly files: readonly Attachment[] } | Refusal;

/** The Post's files in order, or why one of them can't be attached: the first that can't. */
export function attachmentsOf(situation: DecisionContext, command: CreatePost): Attachments {
  const files: Attachment[] = [];
  for (const [index, reference] of command.media.entries()) {
    const found =
      reference.assetId === undefined
        ? ofAddress(situation, command, reference, index)
        : ofUpload(situation, command, reference, reference.assetId);
    if ('ok' in found) return found;
    files.push(found);
  }
  return { ok: true, files };
}

function ofUpload(
  { view }: DecisionContext,
  command: CreatePost,
  { altText }: MediaReference,
  assetId: string,
): Attachment | Refusal {
  const asset = loaded(view.assets, assetId);
  const twice = command.media.filter((other) => other.assetId === assetId).length > 1;
  if (asset === null || asset.state === 'removed')
    return refusal(
      'media_unavailable',
      `There is no upload ${assetId} to attach. Reserve one and send the file again.`,
    );
  if (asset.state === 'attached' || twice)
    return refusal('media_unavailable', 'An upload belongs to one Post, once. Upload the file again to use it twice.');
  if (asset.state === 'reserved' || asset.facts === null)
    return refusal('upload_incomplete', `The upload ${assetId} is not complete. Send its file and confirm it first.`);
  return attachment({ ...asset, state: 'attached', postId: command.postId, expiresAt: null }, altText);
}

function ofAddress(
  { state }: DecisionContext,
  command: CreatePost,
  { url, altText, inspected }: MediaReference,
  index: number,
): Attachment | Refusal {
  if (url === undefined || inspected === undefined)
    return refusal('invalid_request', `media[${index}] names neither an upload nor an address.`);
  const { assetId, contentType, bytes, problem } = inspected;
  if (contentType === null)
    return refusal('media_unacceptable', `media[${index}]: ${problem ?? 'The address has no file that can be used.'}`);
  const asset: Asset = {
    id: assetId,
    workspaceId: state.id,
    state: 'attached',
    origin: 'address',
    filename: '',
    announced: { contentType, bytes },
    url,
    facts: null,
    blob: null,
    postId: command.postId,
    countedBytes: 0,
    createdAt: command.issuedAt,
    expiresAt: null,
  };
  return attachment(asset, altText);
}

function attachment(asset: Asset, altText = ''): Attachment {
  const { facts, blob, announced } = asset;
  const contentType = facts?.contentType ?? announced.contentType;
  const kind = kindOfType(contentType);
  return {
    asset,
    file: {
      assetId: asset.id,
      kind,
      altText: altText === '' ? null : altText,
      stored: blob === null ? null : { blob, contentType },
    },
    draft: {
      kind,
      contentType,
      bytes: facts?.bytes ?? announced.bytes,
      durationMs: facts === null ? null : facts.durationMs,
      altText,
    },
  };
}
