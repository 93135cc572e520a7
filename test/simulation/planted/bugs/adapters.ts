import type { BugsOfRoom } from '../planted-bug.ts';

/** In adapters of engines and Networks, which worlds do without: each was in Crier once. */
export const ADAPTERS: BugsOfRoom = {
  room: 'adapters',
  bugs: [
    {
      name: 'A producer goes on after kafkajs tried one of its sends again',
      edits: [
        {
          file: 'libs/adapters/kafka/producer.ts',
          find: 'if (this.#placed > placed) await this.disconnect();',
          replace: '',
        },
      ],
      suite: 'libs/adapters/kafka/producer.test.ts',
    },
    {
      name: 'A consumer goes on that won partitions while it was fetching',
      edits: [
        {
          file: 'libs/adapters/kafka/consumer.ts',
          find: 'if (isAmidFetches && won.length > 0) {',
          replace: 'if (isAmidFetches && won.length > keys.size) {',
        },
      ],
      suite: 'libs/adapters/kafka/consumer.test.ts',
    },
    {
      name: 'A write that an earlier node may have made counts as not made',
      edits: [
        {
          file: 'libs/adapters/cassandra/write-retries.ts',
          find: "if (portErrorOf(error, 'write').kind === 'unknown') this.#mayBeMade = true;",
          replace: '',
        },
      ],
      suite: 'libs/adapters/cassandra/client.test.ts',
    },
    {
      name: 'A list that x cut off proves that a post is not there',
      edits: [
        {
          file: 'libs/networks/x/timeline.ts',
          find: "if (page === MAX_PAGES) return { kind: 'too many', last: called };",
          replace: '',
        },
      ],
      suite: 'libs/networks/x/publish.test.ts',
    },
    {
      name: 'A list of tiktok proves after minutes that a video is not there',
      edits: [
        {
          file: 'libs/networks/tiktok/search.ts',
          find: 'const LISTED_AFTER_MS = 6 * 3_600_000;',
          replace: 'const LISTED_AFTER_MS = 5 * 60_000;',
        },
      ],
      suite: 'services/publisher/publish/restored.test.ts',
    },
    {
      name: 'What instagram calls spam counts as not published',
      edits: [
        {
          file: 'libs/networks/instagram/publish.ts',
          find: "if (answer.kind !== 'failed' || called.kind === 'lost' || !isBlocked(called)) return answer;",
          replace: "if (answer.kind !== 'failed' || called.kind === 'lost' || isBlocked(called)) return answer;",
        },
      ],
      suite: 'libs/networks/instagram/publish.test.ts',
    },
    {
      name: 'An attempt goes on though its Channel was disconnected meanwhile',
      edits: [
        {
          file: 'services/publisher/publish/variant-attempts.ts',
          find: 'return variant !== undefined && variant.channelDisconnects < count;',
          replace: 'return variant !== undefined && variant.channelDisconnects > count;',
        },
      ],
      suite: 'test/e2e/disconnected-channel.test.ts',
    },
    {
      name: 'What a process knows of endpoints outlives its partition',
      edits: [
        {
          file: 'services/webhooks/endpoint-health.ts',
          find: 'if (changed.has(homeOf(endpointId))) this.#endpoints.delete(endpointId);',
          replace: 'if (changed.size === 0) this.#endpoints.delete(endpointId);',
        },
      ],
      suite: 'services/webhooks/endpoint-health.test.ts',
    },
  ],
};
