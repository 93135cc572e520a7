import type { AcceptedType, FileFacts } from './file-facts.ts';

/**
 * Why an asset was removed: a Member asked for it, its file did not come whole in time, its file is not acceptable,
 * no Post used it, its Post no longer needs it, or the file at its address is more than the Plan has room for.
 */
export type RemovalReason = 'asked' | 'incomplete' | 'unacceptable' | 'unused' | 'over' | 'no room';

/**
 * One file that a Member gave. Written by turns of its Workspace only. reserved -> ready (completed) -> attached (to
 * its one Post, for good); a file by address begins as attached. Each of them -> removed: its bytes are being
 * deleted, and it counts against no limit.
 */
export interface Asset {
  readonly id: string;
  readonly workspaceId: string;
  readonly state: 'reserved' | 'ready' | 'attached' | 'removed';
  readonly origin: 'upload' | 'address';
  /** '' for files by address. */
  readonly filename: string;
  /** As announced, by the reservation or, when the Post was created, by the address. */
  readonly announced: { readonly contentType: AcceptedType; readonly bytes: number | null };
  /** Where the address is; null for uploads. */
  readonly url: string | null;
  /** What the bytes are; null until they have come. */
  readonly facts: FileFacts | null;
  /** The name of the bytes in the blob store; null until they have come. */
  readonly blob: string | null;
  readonly postId: string | null;
  /** Bytes that count against the Plan's storage. */
  readonly countedBytes: number;
  readonly createdAt: number;
  /** When an upload that no Post uses is removed. */
  readonly expiresAt: number | null;
  /** Once removed. */
  readonly removedFor?: RemovalReason;
}
