import { expect, test } from 'vitest';
import type { PartitionExtent } from '#ports/log-positions.ts';
import { SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { fitOf, readMark, type ClusterMark } from './mark.ts';
import { unfinishedOf, type ClusterStanding } from './standing.ts';

const COMMANDS = 'workspace.commands.v1';

function extent(end: number, topic = COMMANDS): PartitionExtent {
  return { topic, partition: 0, start: 0, end };
}

function group(next: number, name = 'workspace') {
  return { group: name, members: 0, positions: [{ topic: COMMANDS, partition: 0, next }] };
}

/** The tables have them, too. */
function timersWaitFrom(next: number) {
  return { group: 'scheduler', members: 0, positions: [{ topic: 'timers.v1', partition: 0, next }] };
}

const MARK: ClusterMark = {
  format: 1,
  engine: 'cluster',
  madeAt: '2030-01-01T00:00:00.000Z',
  release: '1.0.0',
  schemaVersion: SCHEMA_VERSION,
  keyspace: 'crier',
  topicPrefix: '',
  heads: { workspaces: 3, turns: 70 },
  extents: [extent(100), extent(7, 'timers.v1')],
};

const AT_MARK: ClusterStanding = {
  schemaVersion: SCHEMA_VERSION,
  heads: MARK.heads,
  extents: MARK.extents,
  groups: [group(100), timersWaitFrom(7)],
  running: [],
};
const EMPTY_LOG = { extents: [extent(0)], groups: [] };

test.each<[string, Partial<ClusterStanding>]>([
  ['the log of the mark', {}],
  ['an empty log', EMPTY_LOG],
  ['the log of the mark, in which timers wait', { groups: [group(100), timersWaitFrom(3)] }],
  ['a log of which only what is read by people is left', { ...EMPTY_LOG, extents: [extent(0), extent(0, 'other')] }],
])('the tables of the mark fit %s', (_, now) => {
  expect(fitOf(MARK, { ...AT_MARK, ...now }).filter(({ ok }) => !ok)).toEqual([]);
});

test.each<[string, Partial<ClusterStanding>, string, RegExp]>([
  ['another schema', { schemaVersion: SCHEMA_VERSION - 1 }, 'schema', /run crier migrate/],
  ['older tables', { heads: { workspaces: 3, turns: 69 } }, 'tables', /older than the mark, or a part/],
  ['a node that is missing', { heads: { workspaces: 2, turns: 40 } }, 'tables', /restore all nodes/],
  ['younger tables', { heads: { workspaces: 3, turns: 71 } }, 'tables', /younger than the mark/],
  ['a newer log', { extents: [extent(101)], groups: [group(101)] }, 'log', /appended after the mark.*TOPIC_PREFIX/],
  ['an older log', { extents: [extent(90)], groups: [group(90)] }, 'log', /ends before the mark.*TOPIC_PREFIX/],
  ['groups that were set back', { groups: [group(60)] }, 'log', /stand before their records/],
  ['groups of topics made anew', { extents: [extent(0)] }, 'groups', /beyond the end of its topic/],
  ['a process that runs', { running: ['host-1 (ingress)'] }, 'processes', /host-1 \(ingress\): stop all/],
])('the tables of the mark do not fit %s', (_, now, check, words) => {
  const troubles = fitOf(MARK, { ...AT_MARK, ...now }).filter(({ ok }) => !ok);
  expect(troubles.map((each) => each.check)).toContain(check);
  expect(troubles.find((each) => each.check === check)?.detail).toMatch(words);
});

test('what is unfinished counts for the slowest group, and all of it where no group reads', () => {
  const standing = { extents: [extent(100), extent(7, 'media.jobs.v1'), extent(9, 'dead-letters.v1')] };
  const groups = [group(90), group(100, 'another')];
  expect([...unfinishedOf({ ...standing, groups })]).toEqual([
    [COMMANDS, 10],
    ['media.jobs.v1', 7],
  ]);
  // Records that were removed by age are no work, though no group passed them.
  const aged = { extents: [{ ...extent(100), start: 95 }], groups: [group(40)] };
  expect([...unfinishedOf(aged)]).toEqual([[COMMANDS, 5]]);
});

test.each<[string, string, RegExp]>([
  ['text', 'hello', /it is no JSON/],
  ['other JSON', '{"a":1}', /it is no mark of a cluster/],
  ['a mark of a later format', JSON.stringify({ ...MARK, format: 2 }), /format 2, and this release reads format 1/],
  ['half of a mark', JSON.stringify({ ...MARK, heads: undefined }), /damaged/],
])('%s is told to be no mark', (_, text, words) => {
  expect(() => readMark(text)).toThrow(words);
});

test('a mark is read as it was written', () => {
  expect(readMark(JSON.stringify(MARK))).toEqual(MARK);
});
