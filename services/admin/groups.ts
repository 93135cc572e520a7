import { z } from 'zod';
import type { GroupProgress, GroupReading } from '#ports/log.ts';
import { READERS } from '#tables/declarations/readers.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

export function groupProcedures({ log }: Pick<AdminOptions, 'log'>) {
  return router({
    /** Every consumer group of this release, with how far it is. A log that is away is the error. */
    list: procedure.input(z.strictObject({}).optional()).query(async () => {
      const progress = await log.progress(READERS);
      return { items: READERS.map((reading) => described(reading, progress)), nextCursor: null };
    }),
  });
}

function described({ group, topic }: GroupReading, all: readonly GroupProgress[]) {
  const partitions = all.filter((each) => each.group === group && each.topic === topic);
  const owners = partitions.flatMap(({ owner }) => owner ?? []);
  const behind = partitions.map(({ next, end }) => Math.max(0, end - next));
  return {
    group,
    topic,
    partitions: partitions.length,
    /** Partitions that nobody reads now. */
    withoutOwner: partitions.length - owners.length,
    /** Records that are in the topic and not done. */
    behind: behind.reduce((sum, each) => sum + each, 0),
    furthestBehind: Math.max(0, ...behind),
    /** Only members that have a partition are reported. */
    members: [...new Set(owners)].toSorted(),
  };
}
