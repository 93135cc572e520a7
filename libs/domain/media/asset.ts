import type { AcceptedType, FileFacts } from './file-facts.ts';

/**
 * Why an asset is gone: asked for, its file never came whole in time, its file is none that is taken, no Post took it,
 * or its Post needs it no more.
 */
export type RemovalReason = 'asked' | 'incomplete' | 'unacceptable' | 'unused' | 'over';

/**
 * One file that a Member gave. Written by its Workspace's turns alone. reserved -> ready (completed) -> attached (to
 * the one Post it will ever belong to); a file by address comes to be attached. Any of them -> removed: its bytes are
 * gone or going, and it counts against nothing.
 */
export interface Asset {
  readonly id: string;
  readonly workspaceId: string;
  readonly state: 'reserved' | 'ready' | 'attached' | 'removed';
  readonly origin: 'upload' | 'address';
  /** '' for files by address. */
  readonly filename: string;
  /** What was announced: at the reservation, or by the address when the Post was made. */
  readonly announced: { readonly contentType: AcceptedType; readonly bytes: number | null };
  /** Where the address is; null for uploads. */
  readonly url: string | null;
  /** What the bytes are; null until they have come. */
  readonly facts: FileFacts | null;
  /** The name of the bytes in the blob store; null until they have come. */
  readonly blob: string | null;
  readonly postId: string | null;
  /** What it counts for against the Plan's storage. */
  readonly countedBytes: number;
  readonly createdAt: number;
  /** Of an upload that no Post has: when it is removed. */
  readonly expiresAt: number | null;
  /** Once removed. */
  readonly removedFor?: RemovalReason;
}
