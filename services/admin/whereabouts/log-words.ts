import type { Topic } from '#tables/declarations/topics.ts';
import type { VariantFacts } from './variant-facts.ts';
import { countWords } from './words.ts';

/** How far the reader of the partition is that the Variant's records go through; nothing where it has no backlog. */
export function logWords({ log }: Pick<VariantFacts, 'log'>, topic: Topic): readonly string[] {
  if (typeof log === 'string') return [`How far the log has been read is not known: ${log}.`];
  return log
    .filter((place) => place.topic === topic.name)
    .map(({ partition, behind, owner, group }) => {
      const place = `partition ${partition} of ${topic.name}`;
      const backlog = countWords(behind, 'record');
      if (owner === null)
        return `Nobody reads ${place}, which is ${backlog} behind: no process with the consumer ${group} runs, or none has joined yet.`;
      if (behind === 0) return `Nothing waits in ${place}, which ${owner} reads.`;
      return `It waits for its turn: ${place} is ${backlog} behind, and ${owner} reads it.`;
    });
}
