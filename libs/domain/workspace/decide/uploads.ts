import assert from 'node:assert/strict';
import type { Asset, RemovalReason } from '../../media/asset.ts';
import { allows, planAllows } from '../../plan/upgrade.ts';
import { againAt, CLOCK_SKEW_MS } from '../clock-skew.ts';
import type { CompleteUpload, RemoveUpload, ReserveUpload, UploadExpired } from '../commands.ts';
import type { Effect } from '../effects.ts';
import { loaded } from '../post-changes.ts';
import { removeAssets } from '../remove-assets.ts';
import type { Result } from '../results.ts';
import { refusal, refuse, authorize, unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';
import type { WorkspaceState } from '../state.ts';
import { shownNameOf } from '../shown-name.ts';
import { planRefusal } from './post-limits.ts';

const UNKNOWN = 'There is no such upload.';
const INCOMPLETE =
  'The file did not arrive whole in time, and the upload was removed. Reserve again, then send the file.';
const UNACCEPTABLE =
  'The file is none that can be taken, and the upload was removed. Use a JPEG, PNG, WebP, MP4 or MOV file.';

/** Counts the announced bytes at once, so that uploads side by side can not exceed the Plan together. */
export function reserveUpload({ state, view, rules }: DecisionContext, command: ReserveUpload): DecideResult {
  const standing = authorize(state, command.credential, 'posts:schedule');
  if (!standing.ok) return unchanged(state, standing);
  if (standing.member && !standing.member.emailVerified) {
    return refuse(
      state,
      'email_not_verified',
      `${shownNameOf(standing.member)} has to verify the account's e-mail before a file can be uploaded.`,
    );
  }
  const known = loaded(view.assets, command.assetId);
  if (known !== null)
    return known.state === 'reserved' ? unchanged(state, reserved(known)) : refuse(state, 'not_found', UNKNOWN);
  const bytes = state.storage.bytes + command.bytes;
  if (!allows(state.plan, 'storageBytes', bytes)) {
    return unchanged(
      state,
      planRefusal(
        state,
        'storageBytes',
        bytes,
        `${planAllows(state.plan, 'storageBytes')}, and this file does not fit into what is left.`,
      ),
    );
  }
  const asset: Asset = {
    id: command.assetId,
    workspaceId: state.id,
    state: 'reserved',
    origin: 'upload',
    filename: command.filename,
    announced: { contentType: command.contentType, bytes: command.bytes },
    url: null,
    facts: null,
    blob: null,
    postId: null,
    countedBytes: command.bytes,
    createdAt: command.issuedAt,
    expiresAt: command.issuedAt + rules.uploadWindowMs,
  };
  return changed({ ...state, storage: { bytes } }, reserved(asset), kept(asset));
}

/**
 * A completed upload stays so, and repeats are answered alike. One whose file is not whole, late or not acceptable is
 * refused and removed, since its file can not be replaced any more.
 */
export function completeUpload(situation: DecisionContext, command: CompleteUpload): DecideResult {
  const { state, view, rules } = situation;
  const standing = authorize(state, command.credential, 'posts:schedule');
  if (!standing.ok) return unchanged(state, standing);
  const asset = loaded(view.assets, command.assetId);
  if (asset === null || asset.origin !== 'upload') return refuse(state, 'not_found', UNKNOWN);
  if (asset.state === 'removed') return unchanged(state, refusedFor(asset.removedFor));
  if (asset.state !== 'reserved') return unchanged(state, completed(asset));
  assert(asset.expiresAt !== null, `reserved upload ${asset.id} has no end`);
  const { file } = command;
  if (command.issuedAt > asset.expiresAt)
    return removed(state, asset, 'incomplete', refusal('upload_incomplete', INCOMPLETE));
  if (command.problem !== null)
    return removed(state, asset, 'unacceptable', refusal('media_unacceptable', command.problem));
  if (file === null || file.facts.bytes !== asset.announced.bytes)
    return removed(state, asset, 'incomplete', refusal('upload_incomplete', INCOMPLETE));
  const ready: Asset = {
    ...asset,
    state: 'ready',
    facts: file.facts,
    blob: file.blob,
    countedBytes: file.facts.bytes,
    expiresAt: command.issuedAt + rules.unusedUploadMs,
  };
  const bytes = state.storage.bytes - asset.countedBytes + ready.countedBytes;
  return changed({ ...state, storage: { bytes } }, completed(ready), kept(ready));
}

export function removeUpload({ state, view }: DecisionContext, command: RemoveUpload): DecideResult {
  const standing = authorize(state, command.credential, 'posts:schedule');
  if (!standing.ok) return unchanged(state, standing);
  const asset = loaded(view.assets, command.assetId);
  if (asset === null || asset.origin !== 'upload' || asset.state === 'removed')
    return refuse(state, 'not_found', UNKNOWN);
  if (asset.state === 'attached')
    return refuse(state, 'media_unavailable', 'This upload is in a Post and stays there.');
  return removed(state, asset, 'asked', { ok: true, kind: 'done' });
}

/** Only the asset's present `expiresAt` counts: after another one, it was completed, attached or removed meanwhile. */
export function uploadExpired({ state, view, now }: DecisionContext, command: UploadExpired): DecideResult {
  const asset = loaded(view.assets, command.assetId);
  if (
    asset === null ||
    (asset.state !== 'reserved' && asset.state !== 'ready') ||
    asset.expiresAt !== command.expiresAt
  )
    return unchanged(state);
  if (command.expiresAt - now > CLOCK_SKEW_MS)
    return { ...unchanged(state), effects: [timer(asset, againAt(command.expiresAt, now))] };
  return removed(state, asset, asset.state === 'reserved' ? 'incomplete' : 'unused', null);
}

function refusedFor(reason: RemovalReason | undefined): Result {
  if (reason === 'incomplete') return refusal('upload_incomplete', INCOMPLETE);
  return reason === 'unacceptable' ? refusal('media_unacceptable', UNACCEPTABLE) : refusal('not_found', UNKNOWN);
}

function reserved(asset: Asset): Result {
  assert(asset.expiresAt !== null, `reserved upload ${asset.id} has no end`);
  return { ok: true, kind: 'reserved', assetId: asset.id, expiresAt: asset.expiresAt };
}

function completed({ id, facts }: Asset): Result {
  assert(facts !== null, `complete upload ${id} has no facts`);
  return {
    ok: true,
    kind: 'completed',
    file: { assetId: id, kind: facts.kind, contentType: facts.contentType, bytes: facts.bytes },
  };
}

/** The changed asset, and the timer of its end. */
function kept(asset: Asset): readonly Effect[] {
  return [{ kind: 'asset-changed', asset }, timer(asset, asset.expiresAt)];
}

function timer(asset: Asset, at: number | null): Effect {
  assert(asset.expiresAt !== null && at !== null, `upload ${asset.id} has no end`);
  return { kind: 'asset-timer', assetId: asset.id, expiresAt: asset.expiresAt, at };
}

function removed(state: WorkspaceState, asset: Asset, reason: RemovalReason, result: Result | null): DecideResult {
  const gone = removeAssets(state, [asset], reason);
  return changed(gone.state, result, gone.effects);
}

function changed(state: WorkspaceState, result: Result | null, effects: readonly Effect[]): DecideResult {
  return { state, posts: [], result, effects, rest: null };
}
