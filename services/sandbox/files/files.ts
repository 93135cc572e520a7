import { createHash } from 'node:crypto';
import type { RemoteIds } from '../remote-ids.ts';
import { shelf, type SandboxStore } from '../store/store.ts';
import type { FileBytes } from './file-bytes.ts';
import { lookAt, type Look } from './probe.ts';

/** A complete file. */
export interface SandboxFile extends Look {
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * The files that were uploaded to the Networks or fetched by them. An upload is written until it is sealed; a file
 * never changes, and equal files are stored once.
 */
export interface Files {
  /** A new upload, empty. */
  open(): string;
  /** The number of bytes that are there. */
  size(uploadId: string): number;
  write(uploadId: string, offset: number, bytes: Uint8Array): void;
  /** Ends and removes the upload, and returns its file. */
  seal(uploadId: string): SandboxFile;
  discard(uploadId: string): void;
  /** An upload of one piece. */
  keep(bytes: Uint8Array): SandboxFile;
  get(sha256: string): SandboxFile | null;
  read(sha256: string, from: number, to: number): Uint8Array;
}

const SLICE_BYTES = 1_048_576;

export function createFiles(store: SandboxStore, bytes: FileBytes, remoteIds: RemoteIds): Files {
  const sealed = shelf<SandboxFile>(store, 'files');
  const uploadName = (uploadId: string) => `upload${uploadId}`;
  const hashOf = (name: string, size: number): string => {
    const hash = createHash('sha256');
    for (let at = 0; at < size; at += SLICE_BYTES) hash.update(bytes.read(name, at, at + SLICE_BYTES));
    return hash.digest('hex');
  };
  const files: Files = {
    open: () => remoteIds.next(),
    size: (uploadId) => bytes.size(uploadName(uploadId)),
    write: (uploadId, offset, piece) => bytes.write(uploadName(uploadId), offset, piece),
    seal(uploadId) {
      const name = uploadName(uploadId);
      const size = bytes.size(name);
      const file = {
        ...lookAt((from, to) => bytes.read(name, from, to), size),
        sha256: hashOf(name, size),
        bytes: size,
      };
      if (size > 0) bytes.rename(name, file.sha256);
      sealed.put(file.sha256, file);
      return file;
    },
    discard: (uploadId) => bytes.remove(uploadName(uploadId)),
    keep(piece) {
      const uploadId = files.open();
      files.write(uploadId, 0, piece);
      return files.seal(uploadId);
    },
    get: (sha256) => sealed.get(sha256),
    read: (sha256, from, to) => (sealed.get(sha256) === null ? new Uint8Array() : bytes.read(sha256, from, to)),
  };
  return files;
}
