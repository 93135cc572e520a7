import type { GroupProgress, GroupReading } from '#ports/log.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import type { GroupStorage } from './group-options.ts';

/** What a log that lives in one process knows of groups: also of those that nobody is a member of now. */
export function groupProgress(
  readings: readonly GroupReading[],
  log: {
    readonly storage: Pick<GroupStorage, 'next' | 'end'>;
    readonly groups: ReadonlyMap<string, ConsumerGroup>;
    readonly partitionsOf: (topic: string) => number;
  },
): readonly GroupProgress[] {
  return readings.flatMap(({ group, topic }) =>
    Array.from({ length: log.partitionsOf(topic) }, (_, partition): GroupProgress => {
      const source = { topic, partition };
      const owner = log.groups.get(group)?.ownerOf(source) ?? null;
      return { group, ...source, next: log.storage.next(group, source), end: log.storage.end(source), owner };
    }),
  );
}
