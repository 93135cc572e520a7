import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { PortError } from '#ports/errors.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import { AccessWatch } from './access-watch.ts';

const membership = (workspaceId: string, removed = false): Membership => ({
  ...{
    workspaceId,
    workspaceName: 'Tea',
    workspaceZone: null,
    memberId: `m ${workspaceId}`,
    email: 'ada@example.test',
  },
  ...{ name: 'Ada', role: 'owner', emailVerified: true, removed },
});

/** A watch over what `rows` says now. */
function opened() {
  const clock = createMemoryClock();
  const reporter = createMemoryReporter();
  const rows = {
    memberships: [membership('w1'), membership('w2')],
    sessions: ['laptop', 'phone'],
    failure: null as Error | null,
    reads: 0,
    reading: async () => {},
  };
  const watch = new AccessWatch({
    clock,
    reporter,
    memberships: async () => {
      rows.reads += 1;
      if (rows.failure !== null) throw rows.failure;
      return rows.memberships;
    },
    sessions: {
      list: async () => {
        const found = rows.sessions.map((sessionHash) => ({ sessionHash }));
        await rows.reading();
        return found;
      },
    },
  });
  const lost: string[] = [];
  const open = (sessionHash: string, workspaceId = 'w1', accountId = 'ada') =>
    watch.watch({ accountId, sessionHash, workspaceId }, () => lost.push(`${sessionHash} ${workspaceId}`));
  return { clock, reporter, rows, lost, open };
}

test('an account is read once in five seconds, however many pages it has open, and not at all without one', async () => {
  const { clock, rows, open } = opened();
  const close = Array.from({ length: 100 }, (_, index) => open(index % 2 === 0 ? 'laptop' : 'phone'));
  await clock.advance(4_999);
  expect(rows.reads).toBe(0);
  await clock.advance(1);
  expect(rows.reads).toBe(1);
  await clock.advance(60_000);
  expect(rows.reads).toBe(13);
  open('laptop', 'w1', 'bob');
  await clock.advance(5_000);
  expect(rows.reads).toBe(15);
  for (const each of close) each();
  await clock.advance(5_000);
  expect(rows.reads).toBe(16);
});

test('the last page that is closed leaves no timer', () => {
  const { clock, open } = opened();
  const [first, second] = [open('laptop'), open('phone')];
  first();
  expect(clock.armed()).toBe(1);
  second();
  second();
  expect(clock.armed()).toBe(0);
  open('laptop')();
  expect(clock.armed()).toBe(0);
});

test('who signed out in one browser loses its pages, who left a Workspace those of that Workspace, once each', async () => {
  const { clock, rows, lost, open } = opened();
  const pages = ['laptop', 'phone'].flatMap((browser) => ['w1', 'w2'].map((workspace) => open(browser, workspace)));
  rows.sessions = ['laptop'];
  await clock.advance(5_000);
  expect(lost).toEqual(['phone w1', 'phone w2']);
  for (const each of pages.slice(2)) each();
  rows.memberships = [membership('w1', true), membership('w2')];
  await clock.advance(5_000);
  expect(lost.slice(2)).toEqual(['laptop w1']);
});

test('a store that is away cuts nobody off, and is asked again; a defect is reported', async () => {
  const { clock, reporter, rows, lost, open } = opened();
  open('laptop');
  rows.failure = new PortError('unavailable', 'the store is away');
  await clock.advance(5_000);
  expect(reporter.failures()).toEqual([]);
  rows.failure = new TypeError('a defect');
  await clock.advance(5_000);
  expect(reporter.failures()).toHaveLength(1);
  Object.assign(rows, { failure: null, sessions: [] });
  await clock.advance(5_000);
  expect([lost, rows.reads]).toEqual([['laptop w1'], 3]);
});

test('a page of a session that began while the rows were read is not cut off', async () => {
  const { clock, rows, lost, open } = opened();
  const read = Promise.withResolvers<void>();
  rows.reading = () => read.promise;
  open('laptop');
  await clock.advance(5_000);
  rows.sessions = ['laptop', 'new'];
  open('new');
  read.resolve();
  rows.reading = async () => {};
  await clock.advance(5_000);
  expect(lost).toEqual([]);
});
