import { expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { boundStore } from '#testing/bound-store.ts';
import { HANDLING } from '#tables/declarations/tables.ts';
import { writeHandling } from '#tables/repositories/handling.ts';
import { fileRecord, listParkedKeys, readParked, writeParkedKey } from '#tables/repositories/parking.ts';
import { readHolds } from '#tables/repositories/publishing-holds.ts';
import { refuseHalfRestored } from '#tables/repositories/restoring.ts';
import { decodeBody } from '#tables/rows/body.ts';
import type { ClusterMark } from './mark.ts';
import { restoreMarked } from './restore-from-mark.ts';
import { emptyCluster } from './restore.fixture.ts';
import { readStanding } from './standing.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function marked() {
  const { to } = await emptyCluster();
  const standing = await readStanding(to.store, to.positions);
  const mark: ClusterMark = {
    format: 1,
    engine: 'cluster',
    madeAt: '2030-01-01T00:00:00.000Z',
    release: '1.0.0',
    schemaVersion: standing.schemaVersion,
    keyspace: 'crier',
    topicPrefix: '',
    heads: standing.heads,
    // At the mark the log was long; the one that is read from now on is empty.
    extents: standing.extents.map((extent) => ({ ...extent, start: 900, end: 1_000 })),
  };
  return { to, mark };
}

test('everything is held, and what spoke of offsets of the old log fits the empty one', async () => {
  const { to, mark } = await marked();
  const at = { topic: 'publish.x.v1', partition: 3, key: 'c' };
  const flag = { ...at, episode: 'e', wish: 'none' as const, drainedTo: 990, error: 'x', parkedAt: 1, held: 2 };
  await writeParkedKey(to.store, at, { version: 0, flag, token: 't' });
  for (const offset of [990, 991, 997]) await fileRecord(to.store, flag, { offset, value: bytes(`at ${offset}`) });
  const keys = { w: { vanished: 2, suspected: [997, 997] as const, running: [997, 997] as const } };
  const source = { group: 'workspace', topic: 'workspace.commands.v1', partition: 0 };
  await writeHandling(to.store, source, { version: 0, handling: { owned: true, keys }, token: 't' });

  await restoreMarked(mark, to);
  const { holds, restoration } = await readHolds(to.store);
  expect([holds.length, restoration?.backupAt]).toEqual([1, Date.parse(mark.madeAt)]);
  const handling = await to.store.read(HANDLING, [source.group, source.topic, 0], []);
  expect(decodeBody(handling!)).toEqual({ owned: false, keys: {} });
  const [parked] = await listParkedKeys(to.store, at.topic, at.partition);
  await fileRecord(to.store, parked!, { offset: 0, value: bytes('of the new log') });
  const left = await readParked(to.store, parked!, 10);
  expect(left.map(({ value }) => new TextDecoder().decode(value))).toEqual(['at 991', 'at 997', 'of the new log']);
});

test('after a restore that was interrupted no process starts, until the same one has come to its end', async () => {
  const { to, mark } = await marked();
  const source = { group: 'workspace', topic: 'workspace.commands.v1', partition: 0 };
  await writeHandling(to.store, source, { version: 0, handling: { owned: true, keys: {} }, token: 't' });
  const bound = boundStore(to.store);
  const partitions: TableStore['partitions'] = async (table, page) => {
    if (table === HANDLING) throw new PortError('unavailable', 'Cassandra went away');
    return bound.partitions(table, page);
  };
  await expect(restoreMarked(mark, { ...to, store: { ...bound, partitions } })).rejects.toThrow('Cassandra went away');
  expect((await readHolds(to.store)).holds).toHaveLength(1);
  await expect(refuseHalfRestored(to.store)).rejects.toThrow(/a restore was interrupted here/);

  await restoreMarked(mark, to);
  await refuseHalfRestored(to.store);
  const handling = await to.store.read(HANDLING, [source.group, source.topic, 0], []);
  expect(decodeBody(handling!)).toMatchObject({ owned: false });
});

test('where tables and mark do not fit, it is refused with what does not, and nothing is held', async () => {
  const { to, mark } = await marked();
  const other = { ...mark, heads: { workspaces: 1, turns: 4 } };
  await expect(restoreMarked(other, to)).rejects.toThrow(/^tables: .*older than the mark/);
  expect((await readHolds(to.store)).holds).toEqual([]);
});
