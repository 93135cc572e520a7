import { stringify } from 'yaml';
import { settingsFor } from '#adapters/kafka/topic-settings.ts';
import { TOPICS } from '#tables/declarations/topics.ts';

const PREFIX = 'crier.';
const REPLICAS = 3;

const HEAD = `# Written by \`npm run docs\` from libs/tables/declarations/topics.ts. With these, the operator of Strimzi has the topics;
# \`crier migrate\` makes the same where they are missing, and changes none that is there.
`;

/** helm/examples/strimzi/kafka-topics.yaml. */
export function kafkaTopics(): string {
  const objects = TOPICS.map((topic) => ({
    apiVersion: 'kafka.strimzi.io/v1',
    kind: 'KafkaTopic',
    metadata: { name: `${PREFIX}${topic.name}`, labels: { 'strimzi.io/cluster': 'events' } },
    spec: { partitions: topic.partitions, replicas: REPLICAS, config: settingsFor(topic, REPLICAS) },
  }));
  return HEAD + objects.map((object) => stringify(object)).join('---\n');
}
