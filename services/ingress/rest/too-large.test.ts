import { expect, test } from 'vitest';
import { openIngressWorld, START } from '../ingress-harness.fixture.ts';

const scheduledAt = new Date(START + 3_600_000).toISOString();
/** 100 descriptions of 8,000 characters: a body within 1 MB, and a Post beyond what one can be. */
const pictures = (altText: string) =>
  Array.from({ length: 100 }, (_, index) => ({ url: `https://files.test/${index}.jpg`, altText }));
const SMALL = { text: 'Hello', scheduledAt };

test('a Post whose row could become too large is refused with 413, which names the large part, and nothing is created', async () => {
  await using open = await openIngressWorld();
  const body = { ...SMALL, channelIds: open.channels, media: pictures('a'.repeat(8_000)) };
  for (const path of ['/api/posts', '/api/posts/validate']) {
    const answer = await open.harness.call('POST', path, { key: open.key, body });
    expect([answer.status, answer.body.error]).toMatchObject([
      413,
      { code: 'too_large', message: expect.stringMatching(/too large by \d+ KB.*altText.*8\d\d KB/) },
    ]);
  }
  expect(open.scenario.posts.size).toBe(0);
  expect(open.scenario.workspace.usage.posts).toBe(0);
});

test('in a bulk it is refused in its place, and the others are created', async () => {
  await using open = await openIngressWorld();
  const posts = [
    { ...SMALL, channelIds: open.channels },
    { ...SMALL, text: 'x', channelIds: open.channels, media: pictures('a'.repeat(8_000)) },
    { ...SMALL, text: 'y', channelIds: open.channels },
  ];
  const { status, body } = await open.harness.call('POST', '/api/posts/bulk', { key: open.key, body: { posts } });
  expect([
    status,
    body.data.map((item: { status: number; error?: { code: string } }) => [item.status, item.error?.code]),
  ]).toEqual([
    200,
    [
      [201, undefined],
      [413, 'too_large'],
      [201, undefined],
    ],
  ]);
  const dry = await open.harness.call('POST', '/api/posts/bulk?dryRun=true', {
    key: open.key,
    body: { posts: [posts[1]] },
  });
  expect([dry.status, dry.body.data[0].status]).toEqual([200, 413]);
});

test('a Post of the largest size is judged by the limits of its Networks', async () => {
  await using open = await openIngressWorld();
  const answer = await open.harness.call('POST', '/api/posts/validate', {
    key: open.key,
    body: { ...SMALL, channelIds: open.channels, media: pictures('a'.repeat(5_000)) },
  });
  expect(answer.status).toBe(200);
});
