import type { FileFacts } from '#domain/media/file-facts.ts';
import type { Network, Placement } from '#domain/network.ts';

/** A finished file in the form that one Network accepts for one kind of post, made from a Member's file. */
export interface Rendition extends Omit<FileFacts, 'contentType'> {
  /** e.g. `image/jpeg`, `video/mp4`. */
  readonly contentType: string;
  /** '' = none. */
  readonly altText: string;
  /** Where a Network may fetch it, without credentials or redirects. */
  readonly url: string;
  /** The bytes [from, to). Rejects with `PortError`. */
  read(from: number, to: number): Promise<Uint8Array>;
}

export interface RenditionRequest {
  readonly workspaceId: string;
  readonly postId: string;
  readonly variantId: string;
  readonly network: Network;
  readonly placement: Placement;
  /** One for each file of the Post, in order; '' = none. */
  readonly altTexts: readonly string[];
  /** A picture was made for it, which its video shows before it is played. */
  readonly hasCover: boolean;
  /** Of the addresses by which Networks fetch the files; left out: 0. */
  readonly addressVersion?: number;
}

export type Renditions =
  /** In the order of the Post; empty where the Post has no files. `cover`: there when the request says `hasCover`. */
  | { readonly kind: 'ready'; readonly files: readonly Rendition[]; readonly cover?: Rendition }
  /** The files are being converted: ask again after `delayMs`. */
  | { readonly kind: 'pending'; readonly delayMs: number }
  /** The files can't be converted; `detail` is for a person. */
  | { readonly kind: 'failed'; readonly detail: string };

/**
 * Where publishers get files from. Two calls for the same Post give the same files, so that an interrupted step can be
 * repeated. Rejects with `PortError`.
 */
export interface RenditionSource {
  filesOf(request: RenditionRequest): Promise<Renditions>;
}
