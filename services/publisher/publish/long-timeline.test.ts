import { expect, test } from 'vitest';
import { openPublishHarness, TEXT, type PublishHarness } from './publish-harness.fixture.ts';

const NO_LIMIT = 1_000_000;

/** Posts that others, who share the account, made since. */
async function fillTimeline({ http, tokens }: PublishHarness, count: number): Promise<void> {
  const read = await tokens();
  if (read.kind !== 'ok') throw new Error(read.detail);
  const headers = {
    authorization: `Bearer ${read.accessToken}`,
    'content-type': 'application/json',
    'user-agent': 'another/1',
  };
  for (let post = 0; post < count; post++) {
    const body = JSON.stringify({ text: `Another post, ${post}` });
    const url = 'http://sandbox.test/sim/x/2/tweets';
    const { status } = await http.send({ method: 'POST', url, headers, timeoutMs: 1, body });
    if (status !== 201) throw new Error(`post ${post}: ${status}`);
  }
}

/** The answer is lost, the worker dies, and so many posts later its successor looks for the first one. */
async function lostBelow(newer: number): Promise<PublishHarness> {
  const attempts = await openPublishHarness('x');
  await attempts.control('POST', '/sandbox/limits', {
    network: 'x',
    limits: { tweetsCreatePerUser: NO_LIMIT, tweetsCreatePerApp: NO_LIMIT },
  });
  const { promise: died, resolve: die } = Promise.withResolvers<void>();
  const first = attempts.worker(async (step) => {
    if (!/^after POST .*\/tweets$/.test(step)) return;
    die();
    await new Promise(() => {});
  });
  void first.run(attempts.job);
  await died;
  await fillTimeline(attempts, newer);
  const successor = attempts.worker();
  await successor.run(attempts.job);
  await attempts.settle(successor);
  return attempts;
}

test('a post of x is found below 3,000 newer ones, and not sent again', async () => {
  const attempts = await lostBelow(3_000);
  expect(attempts.concluded).toMatchObject([{ verdict: { kind: 'published' } }]);
  expect((await attempts.live()).filter((text) => text === TEXT)).toHaveLength(1);
});
