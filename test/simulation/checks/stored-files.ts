import { buffer } from 'node:stream/consumers';
import type { Asset } from '#domain/media/asset.ts';
import { blobsOf } from '#domain/media/blob-names.ts';
import { removeOrphans } from '#media/orphans.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { createUploadRows } from '#tables/repositories/uploads.ts';
import { everyVariant, type Aftermath, type Check, type Violation } from '../aftermath.ts';
import { sha256Of } from '../files/picture-bytes.ts';

const DAY_AND_MORE_MS = 25 * 3_600_000;

/**
 * What is stored is what was given, and counts: a Workspace's storage is the sum of its files, a file that was removed
 * gives its bytes back, and no blob of it is left, at the latest when housekeeping has looked for orphans.
 */
export const storedFilesAddUp: Check = async (after) => {
  const { world, heads, assets } = after;
  if (!world.parts.includes('media')) return [];
  const violations: Violation[] = [];
  const complain = (detail: string, about: string): void =>
    void violations.push({ check: 'stored files add up', detail, about: [about] });
  for (const [id, { state }] of heads) {
    const ours = assets.filter(({ workspaceId }) => workspaceId === id);
    const sum = ours.reduce((bytes, asset) => bytes + weightOf(asset), 0);
    if (state.storage.bytes !== sum)
      complain(`workspace ${id} stores ${state.storage.bytes} bytes; its files have ${sum}`, id);
  }
  if (world.witness.disturbances.every(({ what }) => what === 'leap'))
    for (const asset of assets) if (asset.state === 'removed') await expectNone(after, asset, complain);
  for (const { id, postId, origin, state, facts } of assets) {
    const isPublished = everyVariant(after).some(
      ({ post, variant }) => post.id === postId && variant.status === 'published',
    );
    if (origin === 'address' && state === 'attached' && facts === null && isPublished && !world.witness.hasLost(id))
      complain(`asset ${id} was published, and the Workspace does not count it`, id);
  }
  await sweepOrphans(after);
  for (const asset of assets) {
    if (asset.state === 'removed') await expectNone(after, asset, complain);
    else await expectBytes(after, asset, complain);
  }
  return violations;
};

type Complain = (detail: string, about: string) => void;

/** By what it is, whatever it says of itself. */
function weightOf({ state, facts, origin, announced }: Asset): number {
  if (state === 'removed') return 0;
  return facts?.bytes ?? (origin === 'upload' ? (announced.bytes ?? 0) : 0);
}

async function expectNone({ world }: Aftermath, { id, removedFor }: Asset, complain: Complain): Promise<void> {
  const left = await world.blobs.list(blobsOf(id), { after: null, limit: 10 });
  if (left.length > 0) complain(`asset ${id} was removed (${removedFor}), and ${left[0]!.name} is there`, id);
}

async function expectBytes(after: Aftermath, { id, blob, facts }: Asset, complain: Complain): Promise<void> {
  if (blob === null || facts === null) return;
  const bytes = await bytesOf(after.world.blobs, blob);
  if (bytes === null) complain(`asset ${id} has lost its blob ${blob}`, id);
  else if (sha256Of(bytes) !== facts.sha256 || after.world.files.of(bytes) === null)
    complain(`asset ${id} has other bytes than a Member gave`, id);
}

async function bytesOf(blobs: BlobStore, name: string): Promise<Buffer | null> {
  return (await blobs.head(name)) === null ? null : buffer(await blobs.get(name));
}

/** As housekeeping does at night, when all that is there is old. */
async function sweepOrphans({ world }: Aftermath): Promise<void> {
  const { blobs, truth } = world;
  const aged: BlobStore = {
    ...blobs,
    list: async (prefix, page) =>
      (await blobs.list(prefix, page)).map((blob) => ({ ...blob, ageMs: blob.ageMs + DAY_AND_MORE_MS })),
  };
  const reporter: Reporter = { report: () => {}, failure: () => {} };
  await removeOrphans({ blobs: aged, store: truth, uploads: createUploadRows(truth, () => 'nobody'), reporter });
}
