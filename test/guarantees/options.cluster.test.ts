import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installationSettings, runCrier } from '#testing/crier-cluster.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { dropKeyspace } from '#testing/engines/fresh-keyspace.ts';
import { sharedCassandra, sharedKafka } from '#testing/engines/shared.ts';
import { until } from '#testing/until.ts';

const kafka = sharedKafka();
const cassandra = sharedCassandra();

describe.skipIf(kafka.missing !== null || cassandra.missing !== null)(
  'options by Channel on Kafka and Cassandra',
  { timeout: 300_000 },
  () => {
    const name = `options_${randomBytes(6).toString('hex')}`;
    let crier: CrierUnderTest;
    let ours: TestWorkspace;

    beforeAll(async () => {
      const env = installationSettings({ kafka: kafka.address!, cassandra: cassandra.address!, name });
      expect(await runCrier(['migrate', '--engine=cluster'], env)).toMatchObject({ code: 0, stderr: '' });
      crier = await CrierUnderTest.start({ name, engine: 'cluster', env });
      ours = await foundWorkspace(crier, 'ours');
    });
    afterAll(async () => {
      await crier?.[Symbol.asyncDispose]();
      await dropKeyspace(cassandra.address!, name);
    });

    test('reach the Networks with texts, defaults and first comments, and are read as they were written', async () => {
      const { workspaceId, channels } = ours;
      expect(crier.stdout(), 'a process of a cluster writes its log and nothing else').toBe('');
      const defaults = { topicTag: 'Ours', replyControl: 'mentioned' };
      await crier.admin().call('channels.setDefaults', { workspaceId, channelId: channels.threads, defaults });
      const api = crier.api(ours.apiKey);
      const { id } = await api.createPost({
        text: 'For all',
        channelIds: [channels.x, channels.threads],
        channelOptions: {
          [channels.x]: { text: 'For X', replySettings: 'following', firstComment: 'First on X' },
          [channels.threads]: { replyControl: 'everyone', firstComment: 'First on Threads' },
        },
      });
      const post = await until(
        async () => {
          const read = await api.getPost(id);
          return read.variants.every(({ firstComment }) => firstComment?.status === 'published') ? read : null;
        },
        { what: 'both first comments published', withinMs: 60_000 },
      );
      const shown = Object.fromEntries(post.variants.map(({ network, status, text }) => [network, [status, text]]));
      expect(shown).toEqual({ x: ['published', 'For X'], threads: ['published', null] });
      const of = async (network: 'x' | 'threads') =>
        (await crier.sandbox().items({ network })).map(({ text, options, comments }) => [
          text,
          options,
          comments.map((comment) => comment.text),
        ]);
      expect(await of('x')).toEqual([['For X', { replySettings: 'following' }, ['First on X']]]);
      expect(await of('threads')).toEqual([
        ['For all', { topicTag: 'Ours', replyControl: 'everyone' }, ['First on Threads']],
      ]);
      expect((await api.usage()).xCredits).toEqual({ available: 998, reserved: 0 });
    });
  },
);
