import type { AcceptedType } from '../media/file-facts.ts';

/** An upload by its id, or an address. */
export interface MediaReference {
  readonly assetId?: string;
  readonly url?: string;
  readonly altText?: string;
  /** Of `url`: its answer when the Post was requested. */
  readonly inspected?: InspectedAddress;
}

export interface InspectedAddress {
  /** The id of the file's asset, if the Post is created. */
  readonly assetId: string;
  /** null: it is not acceptable, and `problem` says why. */
  readonly contentType: AcceptedType | null;
  /** null: the address did not say. */
  readonly bytes: number | null;
  /** For a person. */
  readonly problem: string | null;
}
