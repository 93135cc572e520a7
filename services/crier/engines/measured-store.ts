import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { EventFacts, Reporter } from '#reporting/reporter.ts';

type Operation = EventFacts<'store-request-ended'>['operation'];

export interface MeasuredStore extends TableStore {
  /** Requests that are not answered yet. */
  inFlight(): number;
}

/** The store, with the duration and outcome of every request reported. */
export function measuredStore(store: TableStore, clock: Pick<Clock, 'monotonic'>, reporter: Reporter): MeasuredStore {
  let running = 0;
  const measured = async <T>(operation: Operation, work: Promise<T>): Promise<T> => {
    const begun = clock.monotonic();
    let outcome: EventFacts<'store-request-ended'>['outcome'] = 'ok';
    running++;
    try {
      return await work;
    } catch (error) {
      outcome = error instanceof PortError ? error.kind : 'unknown';
      throw error;
    } finally {
      running--;
      reporter.report('store-request-ended', { operation, outcome, durationMs: clock.monotonic() - begun });
    }
  };
  const measuredOf = (of: TableStore): TableStore => ({
    atom: of.atom,
    read: (...about) => measured('read', of.read(...about)),
    slice: (...about) => measured('slice', of.slice(...about)),
    upsert: (...about) => measured('upsert', of.upsert(...about)),
    insert: (...about) => measured('insert', of.insert(...about)),
    ...(of.writeTogether && {
      writeTogether: (...about) => measured('write-together', of.writeTogether!(...about)),
    }),
    compareAndSet: (...about) => measured('compare-and-set', of.compareAndSet(...about)),
    dropPartition: (...about) => measured('drop-partition', of.dropPartition(...about)),
    partitions: (...about) => measured('partitions', of.partitions(...about)),
    check: () => of.check(),
    close: () => of.close(),
  });
  return {
    ...measuredOf(store),
    ...(store.unsynced && { unsynced: measuredOf(store.unsynced) }),
    inFlight: () => running,
  };
}
