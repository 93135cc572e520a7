import {
  createMemoryTableStore,
  type AppendsWithin,
  type TableHooks,
  type TableOperation,
} from '#adapters/memory/table-store.ts';
import type { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { PortError } from '#ports/errors.ts';
import type { Table } from '#ports/table.ts';
import type { Atom, ConditionalWrite, TableStore } from '#ports/table-store.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';
import type { SimulationEngine, Owner } from './engine.ts';
import type { FaultPlan } from './faults.ts';

export interface ProcessStoreOptions {
  readonly engine: SimulationEngine;
  readonly owner: Owner;
  readonly tables: MemoryTables;
  readonly atom: Atom;
  readonly faults: () => FaultPlan;
  /** Crashes the owner at once. */
  readonly crash: () => void;
  /** Waits, or rejects, while the store does not answer the owner; `isWrite`: of the call that is made. */
  readonly stalled: (isWrite: boolean) => Promise<void>;
  /** No process can reach the store. */
  readonly away: () => boolean;
  /**
   * Where log and store are one: resolves once what was appended until now is durable or was taken back, with whether
   * all of it is durable; null: it is.
   */
  readonly behindAppends: () => Promise<boolean> | null;
  /** The same: what is appended after a write stands on it. */
  readonly writesUnderWay: Set<Promise<unknown>>;
  /** The same: resolves once no row is left that was written with appends and may be taken back; null: none is. */
  readonly behindAtoms: () => Promise<unknown> | null;
  /** The same: what appends within its writes. */
  readonly log: AppendsWithin;
  /** The owner is about to make a call, or has its answer. */
  readonly onBoundary: () => void;
  /** The store refused a turn for its size. */
  readonly onRefused: () => void;
  /** Right after a turn of a Workspace took effect, or another owner's did instead. */
  readonly onTurn: (write: ConditionalWrite) => void;
  /** Right after a write took effect. */
  readonly onWritten: (operation: TableOperation) => void;
}

const WRITES: ReadonlySet<string> = new Set(['upsert', 'insert', 'compareAndSet', 'dropPartition']);
const LATEST_MS = 30_000;

/**
 * One process's access to the shared tables: the engine decides when every call is sent, when it takes effect (at once,
 * as a whole), and when it answers.
 */
export function createProcessStore(options: ProcessStoreOptions): TableStore {
  const { engine, owner, tables, atom, away, crash, onWritten } = options;
  const faults = (): FaultPlan['store'] => options.faults().store;
  const perhapsCrash = (): void => {
    if (owner.mode === 'up' && engine.chance(options.faults().crashAtCall)) crash();
  };
  const clock = { now: () => engine.now };
  /** Those under way, by Workspace: an owner without an answer in time goes on to the next, and the first may land. */
  const turns = new Map<string, Set<ConditionalWrite>>();
  const hooksOf = (seesUnsynced: boolean): TableHooks => ({
    before: async ({ name, table }) => {
      const writes = WRITES.has(name);
      perhapsCrash();
      options.onBoundary();
      await options.stalled(writes);
      const behind = writes ? options.behindAppends() : null;
      const isStanding = behind === null || (await behind);
      await engine.trip(`${owner.name} ${name} ${table.name}`, owner, writes ? 'maybe' : 'no');
      if (!isStanding) throw new PortError('unavailable', `${name} ${table.name}: an append before it was taken back`);
      if (away() || engine.chance(faults().unavailable))
        throw new PortError('unavailable', `${name} ${table.name}: the store is away`);
      // Last of all: what is written while the call is on its way is not read before it is durable either.
      if (!writes && !seesUnsynced)
        for (let it = options.behindAtoms(); it !== null; it = options.behindAtoms()) await it;
      if (writes && engine.chance(faults().lost)) throw new PortError('unknown', `${name} ${table.name}: timed out`);
    },
    after: async (operation) => {
      const { name, table, partition } = operation;
      if (WRITES.has(name)) onWritten(operation);
      if (name === 'compareAndSet' && table === WORKSPACES)
        for (const write of turns.get(partition[0] as string) ?? []) options.onTurn(write);
      perhapsCrash();
      const unanswered = WRITES.has(name) && engine.chance(faults().unanswered);
      await engine.trip(`${owner.name} ${name} ${table.name} answers`, owner);
      options.onBoundary();
      if (unanswered) throw new PortError('unknown', `${name} ${table.name}: no answer`);
    },
  });
  const shared = { clock, tables, atom, log: options.log };
  const store = createMemoryTableStore({ ...shared, hooks: hooksOf(false) });
  const early = createMemoryTableStore({ ...shared, hooks: hooksOf(true) });
  const late = createMemoryTableStore({ clock, tables });

  /**
   * The caller gives up on a write that is still in flight. Its effect stays valid for its keys, so it may be applied
   * at any time.
   */
  const overdue = async (label: string, write: () => Promise<void>): Promise<never> => {
    engine.later(
      { label: `${label} lands late`, owner: null, delayMs: engine.between(0, LATEST_MS) },
      () => void write(),
    );
    await engine.trip(`${label} times out`, owner);
    throw new PortError('unknown', `${label}: timed out`);
  };
  const inOrder = <T>(write: Promise<T>): Promise<T> => {
    options.writesUnderWay.add(write);
    const end = (): void => void options.writesUnderWay.delete(write);
    write.then(end, end);
    return write;
  };
  /** The store refuses it for good, as too large. */
  const refusal = async (write: ConditionalWrite): Promise<never> => {
    await engine.trip(`${owner.name} is refused ${1 + (write.rows?.length ?? 0)} rows`, owner);
    options.onRefused();
    throw new PortError('refused', `${1 + (write.rows?.length ?? 0)} rows at once; ${faults().rowsAtOnce} are allowed`);
  };
  const isTooLarge = (table: Table, write: ConditionalWrite): boolean =>
    table === WORKSPACES && faults().rowsAtOnce > 0 && 1 + (write.rows?.length ?? 0) > faults().rowsAtOnce;
  const ofProcess: TableStore = inOrderOf(inOrder, {
    ...bound(store),
    compareAndSet: (table, write) => {
      if (isTooLarge(table, write)) return refusal(write);
      if (table !== WORKSPACES) return store.compareAndSet(table, write);
      const key = write.partition[0] as string;
      const underWay = turns.get(key) ?? new Set();
      turns.set(key, underWay.add(write));
      return store.compareAndSet(table, write).finally(() => underWay.delete(write));
    },
    upsert: (table, rows) =>
      engine.chance(faults().late)
        ? overdue(`${owner.name} upsert ${table.name}`, () => late.upsert(table, rows))
        : store.upsert(table, rows),
    insert: (table, rows) =>
      engine.chance(faults().late)
        ? overdue(`${owner.name} insert ${table.name}`, async () => {
            await late.insert(table, rows);
            for (const { partition } of rows) onWritten({ name: 'insert', table, partition });
          })
        : store.insert(table, rows),
  });
  if (atom !== 'store_and_log') return ofProcess;
  const readEarly: TableStore['read'] = (table, partition, clustering, read) =>
    (read?.serial === true ? store : early).read(table, partition, clustering, read);
  const unsynced = { ...ofProcess, read: readEarly, slice: early.slice.bind(early) };
  return { ...ofProcess, unsynced };
}

function inOrderOf(inOrder: <T>(write: Promise<T>) => Promise<T>, store: TableStore): TableStore {
  return {
    ...store,
    upsert: (table, rows) => inOrder(store.upsert(table, rows)),
    insert: (table, rows) => inOrder(store.insert(table, rows)),
    compareAndSet: (table, write) => inOrder(store.compareAndSet(table, write)),
    dropPartition: (table, partition) => inOrder(store.dropPartition(table, partition)),
  };
}

function bound(store: TableStore): TableStore {
  return {
    atom: store.atom,
    read: (table, partition, clustering, options) => store.read(table, partition, clustering, options),
    slice: (table, partition, options) => store.slice(table, partition, options),
    upsert: (table, rows) => store.upsert(table, rows),
    insert: (table, rows) => store.insert(table, rows),
    compareAndSet: (table, write) => store.compareAndSet(table, write),
    dropPartition: (table, partition) => store.dropPartition(table, partition),
    partitions: (table, page) => store.partitions(table, page),
    check: () => store.check(),
    close: () => store.close(),
  };
}
