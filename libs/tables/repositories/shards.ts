import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { SHARD_WATERMARKS } from '../declarations/tables.ts';

/** How far a scheduler shard has come. */
export interface ShardBody {
  /** Grows with every claim: who holds the newest may move the rest. */
  readonly epoch: number;
  /**
   * Every minute before this one has fired whole. It goes back only from what its owner's clock says is still to come.
   */
  readonly minute: number;
  /**
   * Every minute before this one has fired whole even if the clock by which `minute` moved leads. Absent: nothing makes
   * that doubtful.
   */
  readonly doubted?: number;
  /** Every minute before this one has been dropped. */
  readonly dropped: number;
  /**
   * For how long the shard has had owners, by their monotonic clocks, in milliseconds: no wall clock that leaps makes
   * it longer.
   */
  readonly ownedMs?: number;
  /**
   * Where `minute` once stood, oldest first, each with the `ownedMs` of then: minutes are dropped by how long ago that
   * was.
   */
  readonly marks?: readonly WatermarkMark[];
  /** The process that claimed it last, for operators. Absent: a release that did not say so did. */
  readonly owner?: string;
}

export interface WatermarkMark {
  readonly minute: number;
  readonly ownedMs: number;
}

export interface ShardRow extends ShardBody {
  readonly version: number;
}

export interface Shards {
  /** Makes the shard's row, unless it is there; for migrate, before any timer can be set. True: it was missing. */
  found(shard: number, minute: number, token: string): Promise<boolean>;
  /** Takes the shard over under the next epoch. Null: another process did so first; try again. */
  claim(shard: number, token: string): Promise<ShardRow | null>;
  /** Moves a shard we hold; null: the epoch is not ours any more. */
  move(shard: number, held: ShardRow, to: Omit<ShardBody, 'epoch' | 'owner'>, token: string): Promise<ShardRow | null>;
}

/** A shard as it is; null: it was never made. Rejects with `PortError`. */
export async function readShard(store: TableStore, shard: number): Promise<ShardBody | null> {
  const row = await store.read(SHARD_WATERMARKS, [shard], []);
  return row === null ? null : decodeBody<ShardBody>(row);
}

/** The first minute of a shard that has not fired whole; null: the shard was never made. Rejects with `PortError`. */
export async function readWatermark(store: TableStore, shard: number): Promise<number | null> {
  return (await readShard(store, shard))?.minute ?? null;
}

/** `owner`: this process, as operators read it. Every method rejects with `PortError`; uncertain writes are settled. */
export function createShards(store: TableStore, owner?: string): Shards {
  const ours = owner === undefined ? {} : { owner };
  const read = async (shard: number): Promise<ShardRow | null> => {
    const row = await store.read(SHARD_WATERMARKS, [shard], [], { serial: true });
    const body = row === null ? null : decodeBody<ShardBody>(row);
    return row === null || body === null ? null : { ...body, version: row.version };
  };
  const write = async (shard: number, version: number, value: ShardBody, token: string): Promise<ShardRow | null> => {
    const next = replacing([shard], [], { over: version === 0 ? null : version, value, token });
    return (await settledWrite(store, SHARD_WATERMARKS, next)) ? { ...value, version: version + 1 } : null;
  };
  return {
    found: async (shard, minute, token) => {
      return (
        (await read(shard)) === null && (await write(shard, 0, { epoch: 0, minute, dropped: minute }, token)) !== null
      );
    },
    claim: async (shard, token) => {
      const row = await read(shard);
      if (row === null)
        throw new PortError('unavailable', `scheduler shard ${shard} was never made: run crier migrate`);
      const { version, owner: _, ...body } = row;
      return write(shard, version, { ...body, ...ours, epoch: row.epoch + 1 }, token);
    },
    move: (shard, held, to, token) => write(shard, held.version, { ...to, ...ours, epoch: held.epoch }, token),
  };
}
