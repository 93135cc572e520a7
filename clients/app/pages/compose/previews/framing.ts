import type { FileFacts } from '#domain/media/file-facts.ts';
import type { Network, Placement } from '#domain/network.ts';
import type { NetworkTargets } from '#networks/contract/targets.ts';
import { facebookTargets } from '#networks/facebook/targets.ts';
import { instagramTargets } from '#networks/instagram/targets.ts';
import { threadsTargets } from '#networks/threads/targets.ts';
import { tiktokTargets } from '#networks/tiktok/targets.ts';
import { xTargets } from '#networks/x/targets.ts';
import type { ComposeFile } from '../draft/compose-draft.ts';

/** How Crier converts files for a Network; one that is missing gets files as they are. */
const TARGETS: Partial<Readonly<Record<Network, NetworkTargets>>> = {
  facebook: facebookTargets,
  instagram: instagramTargets,
  threads: threadsTargets,
  tiktok: tiktokTargets,
  x: xTargets,
};

export interface PictureFrame {
  /** Width to height of what the Network gets. */
  readonly ratio: number;
  /** Whether there are bars beside the picture, because the Network does not take its shape. */
  readonly hasBars: boolean;
}

interface FrameOptions {
  readonly network: Network;
  readonly placement: Placement;
  readonly accountKind: string;
  /** All files of the Post, in order. */
  readonly files: readonly ComposeFile[];
}

const SAME = 0.02;

/** The frame in which a Network gets a file, by the rules that convert it. Null: the size is not known. */
export function frameOf(
  file: ComposeFile,
  { network, placement, accountKind, files }: FrameOptions,
): PictureFrame | null {
  const facts = factsOf(file);
  if (facts === null) return null;
  const own = facts.width / facts.height;
  const known = files.flatMap((each) => factsOf(each) ?? []);
  const target = TARGETS[network]?.target(facts, { placement, accountKind, files: known });
  if (target === undefined || target.kind === 'original') return { ratio: own, hasBars: false };
  const ratio = target.canvas.width / target.canvas.height;
  return { ratio, hasBars: Math.abs(ratio / own - 1) > SAME };
}

function factsOf({ kind, size, bytes, durationMs }: ComposeFile): FileFacts | null {
  if (kind === null || size === null) return null;
  const contentType = kind === 'image' ? 'image/jpeg' : 'video/mp4';
  return { kind, contentType, bytes: bytes ?? 0, sha256: '', ...size, durationMs };
}
