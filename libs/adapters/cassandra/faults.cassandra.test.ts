import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PortError } from '#ports/errors.ts';
import type { ConditionalWrite, TableStore } from '#ports/table-store.ts';
import {
  freshOwner,
  HEADS,
  ONCE_ROWS,
  SUITE_TABLES,
  textOf,
  TURN_TEXTS,
  turnRow,
} from '#port-suites/table-store-fixtures.ts';
import { startCassandra, type CassandraEngine } from '#testing/engines.ts';
import { freshKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra } from '#testing/engines/shared.ts';
import { createCassandraTableStore } from './table-store.ts';

const DEADLINE_MS = 2_000;
const PATIENCE_MS = 20_000;
/** Of rows that are read before they expire. */
const TTL_SECONDS = 10;
const body = (text: string) => new TextEncoder().encode(text);

describe.skipIf(sharedCassandra().missing !== null)('a cluster that becomes unavailable and comes back', () => {
  let engine: CassandraEngine;
  let keyspace: string;
  let store: TableStore;
  // Rows are not verified, as in production: a verified write reads first, and the deadline and outcome of that read
  // would be tested instead.
  const connect = (deadlineMs = DEADLINE_MS) =>
    createCassandraTableStore({ ...engine, keyspace, deadlineMs, verifyRows: false });

  beforeAll(async () => {
    // `batch` syncs the commit log before each acknowledgement: acknowledged writes must survive kill -9 of a single
    // node.
    engine = await startCassandra({ commitLogSync: 'batch' });
    keyspace = await freshKeyspace(engine, SUITE_TABLES);
    store = connect();
  });
  afterAll(async () => {
    await store?.close();
    await engine?.stop();
  });

  const set = (owner: string, version: number, token: string): ConditionalWrite => ({
    partition: [owner],
    clustering: ['head', ''],
    expected: version === 1 ? null : version - 1,
    next: { version, token, body: body(token), format: 1 },
    rows: [{ partition: [owner], clustering: ['row', token], body: body(token), format: 1 }],
  });

  it('a paused cluster: every call ends within the deadline, and a serial read settles a conditional write of unknown outcome', async () => {
    const owner = freshOwner();
    await eventually(() => store.read(HEADS, [owner], ['head', '']));
    await store.compareAndSet(HEADS, set(owner, 1, 'first'));
    await engine.kill('SIGSTOP');
    const began = performance.now();
    const [lost, read, write] = await Promise.all([
      kindOf(store.compareAndSet(HEADS, set(owner, 2, 'second'))),
      kindOf(store.read(HEADS, [owner], ['head', ''])),
      kindOf(store.upsert(TURN_TEXTS, [turnRow([owner], ['a'], 'x')])),
    ]);
    // The driver's own deadline is 12 s.
    expect(performance.now() - began).toBeLessThan(DEADLINE_MS + 6_000);
    expect([lost, read, write]).toEqual(['unknown', 'unavailable', 'unknown']);
    await engine.kill('SIGCONT');

    // A request may wait in the socket of a paused node and be processed after our read. Whichever is processed first,
    // the other is refused as a whole.
    const head = await eventually(() => store.read(HEADS, [owner], ['head', ''], { serial: true }));
    const next = await eventually(() => store.compareAndSet(HEADS, set(owner, head!.version + 1, 'third')));
    const second = head!.token === 'second' || (!next.applied && next.current?.token === 'second');
    expect(next.applied || second).toBe(true);
    const rows = await store.slice(HEADS, [owner], { prefix: ['row'], limit: 10 });
    expect(rows.map((row) => row.token)).toEqual([
      'first',
      ...(second ? ['second'] : []),
      ...(next.applied ? ['third'] : []),
    ]);
  });

  it('killed -9 in the middle of writes: every acknowledged write is kept, and the same store works again after the restart', async () => {
    const owner = freshOwner();
    const writers = Array.from({ length: 8 }, (_, writer) => writeUntilItFails(store, `${owner}-${writer}`));
    await eventually(async () => {
      if (writers.some((writer) => writer.acknowledged.length < 10)) throw new Error('not in the middle yet');
    });
    await engine.kill('SIGKILL');
    for (const writer of writers) expect(['unknown', 'unavailable']).toContain(await writer.ended);

    const began = performance.now();
    expect(await kindOf(store.read(HEADS, [owner], ['head', '']))).toBe('unavailable');
    expect(await kindOf(store.compareAndSet(HEADS, set(owner, 1, 'nobody')))).toBe('unavailable');
    expect(performance.now() - began, 'no call waits for a node that is known to be away').toBeLessThan(
      2 * DEADLINE_MS,
    );

    const startsAway = connect();
    expect(await kindOf(startsAway.check())).toBe('unavailable');
    await engine.restart();
    await eventually(() => store.check());
    for (const { partition, acknowledged } of writers) {
      // A server that has just started answers slowly on a busy machine.
      const head = await eventually(() => store.read(HEADS, [partition], ['head', ''], { serial: true }));
      expect(head!.version).toBeGreaterThanOrEqual(acknowledged.length);
      const rows = await eventually(() => store.slice(ONCE_ROWS, [partition], { limit: 5000 }));
      expect(rows.length).toBeGreaterThanOrEqual(acknowledged.length);
      const kept = await eventually(() => store.slice(TURN_TEXTS, [partition], { limit: 5000 }));
      expect(kept.length).toBeGreaterThanOrEqual(acknowledged.length);
    }
    // The node was down when this store was made: it connects by itself once the node is up.
    await eventually(() => startsAway.read(HEADS, [owner], ['head', '']));
    await startsAway.close();
  });

  it('a closed store rejects every call as unavailable at once', async () => {
    const closed = connect();
    await closed.close();
    await closed.close();
    expect(await kindOf(closed.check())).toBe('unavailable');
  });

  it('expired rows leave no cells behind, whatever ttl they had before', async () => {
    // A server that has just started answers slowly on a busy machine.
    await using stack = new AsyncDisposableStack();
    const patient = connect(PATIENCE_MS);
    stack.defer(() => patient.close());
    const owner = freshOwner();
    const write = set(owner, 1, 'first');
    await patient.compareAndSet(HEADS, { ...write, rows: [] });
    await patient.compareAndSet(HEADS, {
      ...set(owner, 2, 'second'),
      next: { ...set(owner, 2, 'second').next, ttlSeconds: TTL_SECONDS },
      rows: [],
    });
    await patient.upsert(TURN_TEXTS, [
      turnRow([owner], ['a'], 'stays', 1),
      { ...turnRow([owner], ['a'], 'goes', 2), ttlSeconds: TTL_SECONDS },
    ]);
    expect(textOf(await patient.read(TURN_TEXTS, [owner], ['a']))).toBe('goes');
    await eventually(async () => {
      const left = [
        await patient.read(HEADS, [owner], ['head', ''], { serial: true }),
        await patient.read(TURN_TEXTS, [owner], ['a']),
      ];
      if (left.some((row) => row !== null)) throw new Error('not expired yet');
    });
    expect(await patient.slice(TURN_TEXTS, [owner], { limit: 10 })).toEqual([]);
    expect(await patient.compareAndSet(HEADS, { ...write, rows: [] })).toEqual({ applied: true });
  });

  it('the server logged no warning about tombstones or batches during the tests above', async () => {
    if (engine.logFile === null) return;
    const log = await readFile(engine.logFile, 'utf8');
    expect(log).not.toMatch(/tombstone|Batch for|Batch of/i);
  });
});

/**
 * The turns of one owner: each is a conditional write and rows of the two other kinds, and is noted only after all of
 * them were acknowledged.
 */
function writeUntilItFails(store: TableStore, partition: string) {
  const acknowledged: number[] = [];
  const turns = async () => {
    for (let version = 1; ; version += 1) {
      const next = { version, token: `t${version}`, body: body('head'), format: 1 };
      const outcome = await store.compareAndSet(HEADS, {
        partition: [partition],
        clustering: ['head', ''],
        expected: version === 1 ? null : version - 1,
        next,
      });
      if (!outcome.applied) throw new Error(`version ${version} met ${outcome.current?.version}`);
      await store.upsert(TURN_TEXTS, [turnRow([partition], [`n${version}`], 'x', version)]);
      await store.insert(ONCE_ROWS, [
        { partition: [partition], clustering: [version, 'x'], body: body('x'), format: 1 },
      ]);
      acknowledged.push(version);
    }
  };
  return { partition, acknowledged, ended: kindOf(turns()) };
}

async function kindOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'done';
  } catch (error) {
    if (error instanceof PortError) return error.kind;
    throw error;
  }
}

async function eventually<T>(look: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + 60_000;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await sleep(50);
    }
  }
}
