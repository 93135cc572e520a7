import { expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { MEDIA_JOBS, TOPICS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { openAdminHarness, openWorkspace, until } from './admin-harness.fixture.ts';

test('groups.list names every topic with the one group that reads it, its members, and how far it is', async () => {
  await using harness = await openAdminHarness();
  const { caller, log } = harness;
  await openWorkspace(caller);
  await log.append(
    MEDIA_JOBS.name,
    [1, 2, 3].map((n) => ({ key: 'k', value: Buffer.from([n]) })),
  );
  const groupOf = async (name: string) => (await caller.groups.list()).items.find(({ group }) => group === name)!;
  await until(async () => (await groupOf('workspace')).behind === 0);
  expect(await groupOf('workspace')).toEqual({
    ...{ group: 'workspace', topic: WORKSPACE_COMMANDS.name, partitions: WORKSPACE_COMMANDS.partitions },
    ...{ withoutOwner: 0, behind: 0, furthestBehind: 0, members: ['main'] },
  });
  // Nobody has the role.
  expect(await groupOf('media')).toEqual({
    ...{ group: 'media', topic: MEDIA_JOBS.name, partitions: MEDIA_JOBS.partitions },
    ...{ withoutOwner: MEDIA_JOBS.partitions, behind: 3, furthestBehind: 3, members: [] },
  });
  const { items, nextCursor } = await caller.groups.list();
  expect(items.map(({ topic }) => topic).toSorted()).toEqual(TOPICS.map(({ name }) => name).toSorted());
  expect(nextCursor).toBeNull();
});

test('groups.list says why the log can not be asked', async () => {
  await using harness = await openAdminHarness(({ log }) => ({
    log: {
      append: (...records) => log.append(...records),
      progress: () => Promise.reject(new PortError('unavailable', 'Kafka: no broker answers')),
    },
  }));
  await expect(harness.caller.groups.list()).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'Nothing was done: Kafka: no broker answers',
  });
});
