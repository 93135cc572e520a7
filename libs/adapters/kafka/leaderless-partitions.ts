import { createRequire } from 'node:module';

interface TopicsAnswer {
  readonly topicMetadata: readonly {
    readonly topicErrorCode: number;
    readonly partitionMetadata: readonly { readonly partitionErrorCode: number }[];
  }[];
}

interface AnswerParser {
  parse(answer: TopicsAnswer): Promise<TopicsAnswer>;
}

/** Versions of the request for topics that kafkajs 2.2.4 knows. */
const VERSIONS = [0, 1, 2, 3, 4, 5, 6];
const LEADER_NOT_AVAILABLE = 5;

/**
 * kafkajs 2.2.4 takes an answer that tells of topics for a failure once one of their partitions has no leader. The
 * answer about all topics tells of those of others, too, and with it we would not find our own. This replaces what
 * judges the answer: such a partition is one whose leader is -1, which no request goes to. Idempotent; must run before
 * the first connection.
 */
export function keepLeaderless(): void {
  const require = createRequire(import.meta.url);
  const { failure, createErrorFromCode } = require('kafkajs/src/protocol/error') as {
    failure(code: number): boolean;
    createErrorFromCode(code: number): Error;
  };
  const parse = async (answer: TopicsAnswer): Promise<TopicsAnswer> => {
    const ofTopics = answer.topicMetadata.map(({ topicErrorCode }) => topicErrorCode);
    const ofPartitions = answer.topicMetadata.flatMap(({ partitionMetadata }) =>
      partitionMetadata.map(({ partitionErrorCode }) => partitionErrorCode),
    );
    const refused = [...ofTopics, ...ofPartitions.filter((code) => code !== LEADER_NOT_AVAILABLE)].find(failure);
    if (refused !== undefined) throw createErrorFromCode(refused);
    return answer;
  };
  for (const version of VERSIONS)
    (require(`kafkajs/src/protocol/requests/metadata/v${version}/response`) as AnswerParser).parse = parse;
}
