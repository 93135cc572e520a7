import type { Asset } from '../../media/asset.ts';
import { kindOfType } from '../../media/file-facts.ts';
import type { PostFile } from '../../post/post.ts';
import type { MediaReference } from '../../post/media-reference.ts';
import { allows, planAllows } from '../../plan/upgrade.ts';
import type { CreatePost } from '../commands.ts';
import { loaded } from '../post-changes.ts';
import type { Refusal } from '../results.ts';
import { refusal, type DecisionContext } from '../decision-context.ts';
import type { DraftFile } from '../../post/draft.ts';
import { planRefusal } from './post-limits.ts';

/** A file that the Post would have. */
export interface Attachment {
  /** As it is once the Post has it. */
  readonly asset: Asset;
  readonly file: PostFile;
  readonly draft: DraftFile;
}

export interface AttachedFiles {
  readonly ok: true;
  /** What the Post shows, in order. */
  readonly files: readonly Attachment[];
  /** Pictures of covers, each once. */
  readonly covers: readonly Attachment[];
}

/** Why a file can't be attached, and where the Member wrote it, as blockers name it. */
export interface Unattachable {
  readonly ok: false;
  readonly path: string;
  readonly refusal: Refusal;
}

export type Attachments = AttachedFiles | Unattachable;

/** The files that the Post would have, or why one of them can't be attached: the first that can't. */
export function attachmentsOf(situation: DecisionContext, command: CreatePost): Attachments {
  const files: Attachment[] = [];
  let bytes = situation.state.storage.bytes;
  for (const [index, reference] of command.media.entries()) {
    const found = attachmentOf(situation, command, reference, `media[${index}]`);
    if ('ok' in found) return { ok: false, path: `media.${index}`, refusal: found };
    bytes += newBytesOf(found);
    const noRoom = judgeRoom(situation, found, bytes, `media[${index}]`);
    if (noRoom !== null) return { ok: false, path: `media.${index}`, refusal: noRoom };
    files.push(found);
  }
  const covers = new Map<string, Attachment>();
  for (const [channelId, { cover }] of Object.entries(command.channelOptions)) {
    if (cover === undefined || cover.atSeconds !== undefined) continue;
    const name = `channelOptions.${channelId}.cover`;
    const found = attachmentOf(situation, command, cover, name);
    if ('ok' in found) return { ok: false, path: name, refusal: found };
    if (found.file.kind !== 'image') {
      const message = `${name}: A cover is a picture. Choose a JPEG, PNG or WebP file, or an instant of the video (atSeconds).`;
      return { ok: false, path: name, refusal: refusal('media_unacceptable', message) };
    }
    bytes += covers.has(found.asset.id) ? 0 : newBytesOf(found);
    const noRoom = judgeRoom(situation, found, bytes, name);
    if (noRoom !== null) return { ok: false, path: name, refusal: noRoom };
    covers.set(found.asset.id, found);
  }
  return { ok: true, files, covers: [...covers.values()] };
}

/** What the address said of its file, which counts once it is fetched. Uploads and fetched files count already. */
function newBytesOf({ asset }: Attachment): number {
  return asset.origin === 'address' && asset.facts === null ? (asset.announced.bytes ?? 0) : 0;
}

/** `bytes`: what the Workspace would store with the file and those before it. */
function judgeRoom({ state }: DecisionContext, file: Attachment, bytes: number, name: string): Refusal | null {
  if (newBytesOf(file) === 0 || allows(state.plan, 'storageBytes', bytes)) return null;
  const message = `${name}: ${planAllows(state.plan, 'storageBytes')}, and this file does not fit into what is left.`;
  return planRefusal(state, 'storageBytes', bytes, message);
}

/** `name`: where the Member wrote the reference. */
function attachmentOf(
  situation: DecisionContext,
  command: CreatePost,
  reference: MediaReference,
  name: string,
): Attachment | Refusal {
  return reference.assetId === undefined
    ? ofAddress(situation, command, reference, name)
    : ofUpload(situation, command, reference, reference.assetId);
}

function ofUpload(
  { view }: DecisionContext,
  command: CreatePost,
  { altText }: MediaReference,
  assetId: string,
): Attachment | Refusal {
  const asset = loaded(view.assets, assetId);
  if (asset === null || asset.state === 'removed')
    return refusal(
      'media_unavailable',
      `There is no upload ${assetId} to attach. Reserve one and send the file again.`,
    );
  const isOfReplaced = asset.postId !== null && asset.postId === command.replaces;
  if ((asset.state === 'attached' && !isOfReplaced) || isNamedTwice(command, assetId))
    return refusal('media_unavailable', 'An upload belongs to one Post, once. Upload the file again to use it twice.');
  if (asset.state === 'reserved' || asset.facts === null)
    return refusal('upload_incomplete', `The upload ${assetId} is not complete. Send its file and confirm it first.`);
  return attachment({ ...asset, state: 'attached', postId: command.postId, expiresAt: null }, altText);
}

/** Several Channels may have the same cover; anything else may be named once. */
function isNamedTwice({ media, channelOptions }: CreatePost, assetId: string): boolean {
  const shown = media.filter((other) => other.assetId === assetId).length;
  const isCover = Object.values(channelOptions).some(({ cover }) => cover?.assetId === assetId);
  return shown + (isCover ? 1 : 0) > 1;
}

function ofAddress(
  { state }: DecisionContext,
  command: CreatePost,
  { url, altText, inspected }: MediaReference,
  name: string,
): Attachment | Refusal {
  if (url === undefined || inspected === undefined)
    return refusal('invalid_request', `${name} names neither an upload nor an address.`);
  const { assetId, contentType, bytes, problem } = inspected;
  if (contentType === null)
    return refusal('media_unacceptable', `${name}: ${problem ?? 'The address has no file that can be used.'}`);
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
