import { expect, test } from 'vitest';
import { CANARY_STAGES } from '#domain/canary.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

test(
  'Variants of a Network that no process publishes to wait as scheduled, and go live once one does',
  { timeout: 300_000 },
  async () => {
    const env: Record<string, string> = {
      ...{ CRIER_PUBLISH_NETWORKS: 'x', CRIER_LOG_LEVEL: 'warn', CRIER_CANARY: 'on' },
      ...{ CRIER_REQUESTS_PER_MINUTE: '0' },
    };
    await using crier = await CrierUnderTest.start({ env });
    const { id } = await crier.api().createPost({ text: 'two Networks', channelIds: textChannels(crier.ready.demo!) });
    const statuses = async (): Promise<Record<string, string>> =>
      Object.fromEntries((await crier.api().getPost(id)).variants.map(({ network, status }) => [network, status]));
    await until(async () => (await statuses())['x'] === 'published', { what: 'x is published', withinMs: 60_000 });
    expect(await statuses()).toEqual({ x: 'published', threads: 'scheduled' });
    const { held } = await crier.admin().call('publishing.status');
    expect(held).toHaveLength(5);
    expect(held.find(({ network }: { network: string }) => network === 'threads')).toMatchObject({
      workspaceId: null,
      by: 'crier',
      reason: 'No process publishes to threads: CRIER_PUBLISH_NETWORKS of all of them leaves it out.',
      waiting: 1,
    });
    // The canary's Networks are among those, which is no failure of the way of Posts.
    const stageHeld = 'crier_canary_last_success_timestamp_seconds{stage="held"}';
    await until(async () => (await crier.admin().metric(stageHeld)) > 0, {
      what: 'the canary is held',
      withinMs: 60_000,
    });

    const released = await crier.admin().send('publishing.release', { network: 'threads' });
    expect([released.status, released.body.error.message]).toEqual([400, expect.stringMatching(/CRIER_PUBLISH_NET/)]);

    env['CRIER_PUBLISH_NETWORKS'] = 'all';
    await crier.restart('stop');
    await until(async () => (await statuses())['threads'] === 'published', {
      what: 'threads is published',
      withinMs: 60_000,
    });
    expect((await crier.admin().call('publishing.status')).held).toEqual([]);

    const times = (stage: string) => crier.admin().metric(`crier_canary_stage_seconds_count{stage="${stage}"}`);
    await until(async () => (await times('accepted')) > 0, { what: 'the canary makes a Post', withinMs: 60_000 });
    await crier.admin().advance(61_000);
    await until(async () => (await times('told')) > 0, { what: 'the canary came through', withinMs: 60_000 });
    for (const stage of CANARY_STAGES) {
      expect(await crier.admin().metric(`crier_canary_failures_total{stage="${stage}"}`)).toBe(0);
      const age =
        Date.now() / 1_000 -
        (await crier.admin().metric(`crier_canary_last_success_timestamp_seconds{stage="${stage}"}`));
      expect(age, stage).toBeLessThan(120);
    }
    const attempts =
      'crier_attempts_ended_total{network="facebook",placement="feed",outcome="published",reason="none"}';
    expect(await crier.admin().metric(attempts)).toBe(0);
    expect(crier.output()).toContain('The canary makes a Post each 60 s');
    const texts = (await crier.sandbox().items()).map(({ network, text }) => `${network}: ${text}`);
    expect(texts.toSorted()).toEqual(['threads: two Networks', 'x: two Networks']);
  },
);
