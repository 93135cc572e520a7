import { Kafka, logLevel } from 'kafkajs';
import { until } from '#testing/until.ts';

/** Kafka's number for a broker among what can be set. */
const BROKER = 4;
const SETTING = 'log.flush.interval.messages';

/** Every message is on disk before the broker acknowledges it, which Kafka by itself leaves to its replicas. */
export async function flushEachMessage(brokers: readonly string[]): Promise<void> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.ERROR }).admin();
  await admin.connect();
  try {
    const { brokers: found } = await admin.describeCluster();
    const resources = found.map(({ nodeId }) => ({ type: BROKER, name: `${nodeId}` }));
    await admin.alterConfigs({
      validateOnly: false,
      resources: resources.map((one) => ({ ...one, configEntries: [{ name: SETTING, value: '1' }] })),
    });
    await until(
      async () => {
        const asked = resources.map((one) => ({ ...one, configNames: [SETTING] }));
        const described = await admin.describeConfigs({ includeSynonyms: false, resources: asked });
        return described.resources.every(({ configEntries }) => configEntries[0]?.configValue === '1');
      },
      { what: `${SETTING} of each broker` },
    );
  } finally {
    await admin.disconnect();
  }
}
