import type { Row } from '#ports/table.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settle } from '../rows/replace-row.ts';
import { UPLOADS } from '../declarations/tables.ts';

/** A whole file that was sent to an upload's address, stored under a name of its own. */
export interface UploadedFile {
  readonly blob: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/**
 * Which of the files sent to an upload's address counts. nothing -> arrived (replaced by each whole file that comes
 * later) -> sealed (what is judged and completed; no file replaces it). Any of them -> gone, and there it stays.
 */
export type UploadArrival =
  { readonly state: 'arrived' | 'sealed'; readonly file: UploadedFile } | { readonly state: 'gone' };

export type UploadClaim =
  /** `replaced`: the file before it, which is no longer needed. */
  | { readonly taken: true; readonly replaced: UploadedFile | null }
  /** `by`: what stands instead. */
  | { readonly taken: false; readonly by: UploadArrival };

/**
 * Repeats, and several callers at once, get consistent answers. All reject with `PortError`;
 * `unknown`: it may have been done.
 */
export interface UploadRows {
  find(assetId: string): Promise<UploadArrival | null>;
  arrive(assetId: string, file: UploadedFile): Promise<UploadClaim>;
  /** The file that counts from now on; null: none came, or the upload is gone. */
  seal(assetId: string): Promise<UploadedFile | null>;
  /** From now on nothing arrives. */
  abandon(assetId: string): Promise<void>;
}

/** Longer than any address is open. */
const GONE_TTL_SECONDS = 30 * 86_400;
/** Other processes move the row at most a few times: more is a defect, not a race. */
const MAX_TRIES = 20;

export function createUploadRows(store: TableStore, token: () => string): UploadRows {
  const read = (assetId: string): Promise<Row | null> => store.read(UPLOADS, [assetId], [], { serial: true });

  /** Moves the row as `step` says, however many move it at once; a step that gives what it was given moves nothing. */
  const move = async (
    assetId: string,
    step: (now: UploadArrival | null) => UploadArrival | null,
  ): Promise<UploadArrival | null> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const row = await read(assetId);
      const now = arrivalOf(row);
      const next = step(now);
      if (next === now) return now;
      const write = replacing([assetId], [], {
        over: row?.version ?? null,
        value: next,
        token: token(),
        ...(next?.state === 'gone' && { ttlSeconds: GONE_TTL_SECONDS }),
      });
      const outcome = await settle(store, UPLOADS, write);
      if (outcome === 'made') return now;
      // Another process may have found this file in the row, and removed its blob as replaced: the row must not name it
      // again. Nothing of a seal or of an end is lost by doing it once more.
      if (outcome === 'overtaken' && next?.state === 'arrived')
        throw new PortError('unknown', `the file of upload ${assetId} may have been replaced`);
    }
    throw new PortError('unavailable', `the row of upload ${assetId} is moved by too many`);
  };

  return {
    find: async (assetId) => arrivalOf(await store.read(UPLOADS, [assetId], [])),
    arrive: async (assetId, file) => {
      const before = await move(assetId, (now) =>
        now === null || now.state === 'arrived' ? { state: 'arrived', file } : now,
      );
      if (before === null) return { taken: true, replaced: null };
      return before.state === 'arrived' ? { taken: true, replaced: before.file } : { taken: false, by: before };
    },
    seal: async (assetId) => {
      const before = await move(assetId, (now) =>
        now?.state === 'arrived' ? { state: 'sealed', file: now.file } : now,
      );
      return before === null || before.state === 'gone' ? null : before.file;
    },
    abandon: async (assetId) => {
      await move(assetId, (now) => (now?.state === 'gone' ? now : { state: 'gone' }));
    },
  };
}

function arrivalOf(row: Row | null): UploadArrival | null {
  return row === null ? null : decodeBody<UploadArrival>(row);
}
