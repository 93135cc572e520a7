import { expect, test } from 'vitest';
import { createCrier } from '#clients/typescript/client.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

const HOUR_MS = 3_600_000;
const KILLS = 3;
const WRITERS = 4;
const BULK_POSTS = 150;

test(
  `kill -9 of Crier amid creates, ${KILLS} times: every create of the client succeeds, none is lost, none there twice`,
  { timeout: 300_000 },
  async () => {
    // No Post is recognised by what it is, so only the keys that the client makes hold this.
    await using server = await CrierUnderTest.start({
      env: { CRIER_REQUESTS_PER_MINUTE: '0', CRIER_DUPLICATE_WINDOW_SECONDS: '0', CRIER_LOG_LEVEL: 'warn' },
    });
    // A machine under load may take longer to start Crier again than callers wait by default.
    const crier = createCrier({ url: server.ready.baseUrl!, key: server.ready.demo!.apiKey, maxRetries: 20 });
    const channelIds = textChannels(server.ready.demo!);
    const scheduledAt = new Date(Date.now() + 24 * HOUR_MS);
    const acknowledged: string[] = [];
    let writing = true;
    const writeSingly = async (writer: number): Promise<void> => {
      for (let round = 0; writing; round++) {
        const text = `single ${writer}.${round}`;
        await crier.posts.create({ text, channelIds, scheduledAt });
        acknowledged.push(text);
      }
    };
    const writeInBulk = async (): Promise<void> => {
      for (let round = 0; writing; round++) {
        const texts = Array.from({ length: BULK_POSTS }, (_, index) => `bulk ${round}.${index}`);
        const items = await crier.posts.createBulk(texts.map((text) => ({ text, channelIds, scheduledAt })));
        expect(new Set(items.map(({ status }) => status))).toEqual(new Set([201]));
        acknowledged.push(...texts);
      }
    };
    const writers = Promise.all([
      ...Array.from({ length: WRITERS }, (_, writer) => writeSingly(writer)),
      writeInBulk(),
    ]);
    // Awaited at the end; a failure before that is not one that nobody handles.
    writers.catch(() => {});
    for (let kill = 0; kill < KILLS; kill++) {
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 40 + 7 * kill, { what: 'creates going on', withinMs: 60_000 });
      await server.restart('kill');
    }
    writing = false;
    await writers;
    const there: string[] = [];
    for await (const { text } of crier.posts.list({ limit: 500 })) there.push(text);
    expect(there.toSorted()).toEqual(acknowledged.toSorted());
  },
);
