import { readChannels } from '#clients/csv/channel-names.ts';
import type { Channel } from '#clients/typescript/client.ts';
import { UsageError } from './usage-error.ts';

/** The ids that several `--channel` name; throws UsageError for a name that is none, with the nearest one. */
export function channelIdsOf(words: readonly string[], channels: readonly Channel[]): readonly string[] {
  const ids = words.flatMap((word) => {
    const reading = readChannels(word, channels);
    if (!reading.ok) throw new UsageError(reading.message);
    return reading.channelIds;
  });
  return [...new Set(ids)];
}
