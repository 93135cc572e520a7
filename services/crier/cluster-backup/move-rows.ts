import { parallelMap } from '#concurrency/parallel-map.ts';
import { retryWhileUnavailable } from '#concurrency/retry.ts';
import type { SchemaIdTranslation } from '#codec/schema-ids.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import type { RowCopy, RowReader, RowWriter } from '#ports/row-copy.ts';
import type { TableStore } from '#ports/table-store.ts';
import { INSTALLATION, SHARD_WATERMARKS } from '#tables/declarations/tables.ts';
import { readStoredFormat, writeStoredFormat } from '#tables/repositories/written-formats.ts';
import { settledWrite } from '#tables/rows/replace-row.ts';
import type { Progress } from './progress.ts';
import { besideNewLog, installationIn, isOfThePlace, MOVED_TABLES } from './tables-to-move.ts';

export interface MoveRowsOptions {
  readonly reader: RowReader;
  readonly writer: RowWriter;
  readonly store: TableStore;
  readonly translate: SchemaIdTranslation;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  readonly ids: Pick<Ids, 'token'>;
  readonly progress: Progress;
}

const CHUNK_ROWS = 1_000;
const CHUNK_BYTES = 1_000_000;
/** Enough that the server never waits, few enough that chunks do not wait long for each other. */
const CHUNKS_AT_ONCE = 4;
/** An engine that is away for longer ends the restore; another run goes on. */
const PATIENCE_MS = 120_000;
const SHARDS_AT_ONCE = 16;

/** Moves all rows; returns how many. Repeatable. Rejects with `PortError`. */
export async function moveRows(options: MoveRowsOptions): Promise<number> {
  const { reader, writer, translate, clock, progress } = options;
  let moved = 0;
  for (const table of MOVED_TABLES) {
    const all = reader.count(table);
    let done = 0;
    await parallelMap(CHUNKS_AT_ONCE, chunksOf(reader.rows(table, clock.now())), async (rows) => {
      const now = clock.now();
      const beside = rows.map((row) => besideNewLog(table, row, translate));
      await withPatience(clock, () => writer.write(table, beside, now));
      done += rows.length;
      progress(`${table.name}: ${done} of ${all} rows`);
    });
    moved += done;
  }
  return moved + (await moveInstallation(options)) + (await moveShards(options));
}

/** Calls that may be repeated are repeated while the engine is away. Rejects when it stays away. */
export function withPatience<T>(clock: Pick<Clock, 'monotonic' | 'sleep'>, work: () => Promise<T>): Promise<T> {
  const giveUpAt = clock.monotonic() + PATIENCE_MS;
  return retryWhileUnavailable(work, {
    clock,
    report: () => undefined,
    mayRetry: () => clock.monotonic() < giveUpAt,
  });
}

function* chunksOf(rows: Iterable<RowCopy>): Iterable<readonly RowCopy[]> {
  let chunk: RowCopy[] = [];
  let bytes = 0;
  for (const row of rows) {
    chunk.push(row);
    bytes += row.body.length;
    if (chunk.length < CHUNK_ROWS && bytes < CHUNK_BYTES) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}

/** The probe of the secret, sealed keys, and whatever else is known of the installation by a name. */
async function moveInstallation({ reader, writer, store, clock, ids }: MoveRowsOptions): Promise<number> {
  const now = clock.now();
  await withPatience(clock, async () => {
    const [there, here] = [await readStoredFormat(installationIn(reader, now)), await readStoredFormat(store)];
    // Rows of a later release are among those that are moved: processes have to know that.
    if (there.format <= here.format || there.release === null) return;
    const value = { format: there.format, release: there.release, token: ids.token() };
    if (!(await writeStoredFormat(store, here, value)))
      throw new PortError('unavailable', 'another process wrote the format');
  });
  const rows = [...reader.rows(INSTALLATION, now)].filter((row) => !isOfThePlace(row));
  await withPatience(clock, () => writer.write(INSTALLATION, rows, now));
  return rows.length;
}

/**
 * A migration made the shards' rows with this minute as watermark. Every minute since the backup has to be read, so the
 * rows of the backup replace them, by compare-and-set as always.
 */
async function moveShards({ reader, store, clock, ids }: MoveRowsOptions): Promise<number> {
  const rows = [...reader.rows(SHARD_WATERMARKS, clock.now())];
  await parallelMap(SHARDS_AT_ONCE, rows, async ({ partition, body, format, version }) => {
    const replace = async (): Promise<void> => {
      const here = await store.read(SHARD_WATERMARKS, partition, [], { serial: true });
      if (here !== null && Buffer.from(here.body).equals(body)) return;
      const next = { version: Math.max(version, (here?.version ?? 0) + 1), token: ids.token(), body, format };
      const write = { partition, clustering: [], expected: here?.version ?? null, next };
      if (!(await settledWrite(store, SHARD_WATERMARKS, write)))
        throw new PortError('refused', `scheduler shard ${partition[0]} has an owner: stop every process`);
    };
    await withPatience(clock, replace);
  });
  return rows.length;
}
