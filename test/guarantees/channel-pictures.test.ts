import { expect, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

test('every Channel shows the copy of its picture, also after kill -9, until it is disconnected', async () => {
  await using crier = await CrierUnderTest.start();
  const { workspaceId, channels } = crier.ready.demo!;
  // The sign-ins are over, and their pictures may be on their way.
  await crier.restart('kill');
  const shown = await until(
    async () => {
      const listed = await crier.api().channels();
      const without = Object.keys(channels).length - listed.filter(({ avatarUrl }) => avatarUrl !== null).length;
      if (without > 0) throw new Error(`${without} Channels are without a picture`);
      return listed.flatMap(({ avatarUrl }) => avatarUrl ?? []);
    },
    // A key may ask once a second; a fetch that failed is made again after a minute.
    { what: 'every Channel has a picture', everyMs: 1_100, withinMs: 120_000 },
  );
  for (const avatarUrl of shown) {
    expect(avatarUrl.startsWith(`${crier.ready.baseUrl}/media/`)).toBe(true);
    const answer = await fetch(avatarUrl);
    const start = Buffer.from(await answer.arrayBuffer()).subarray(0, 3);
    const type = answer.headers.get('content-type');
    expect([answer.status, type, start.toString('hex')]).toEqual([200, 'image/jpeg', 'ffd8ff']);
  }
  const channel = (await crier.api().channels())[0]!;
  await crier.admin().call('channels.disconnect', { workspaceId, channelId: channel.id });
  await until(async () => (await fetch(channel.avatarUrl!)).status === 404, { what: 'the picture is gone' });
});
