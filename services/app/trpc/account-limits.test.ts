import { expect, test } from 'vitest';
import { TrpcHarness } from './trpc-harness.fixture.ts';

test('calls about an account are limited by account, and those of another go on', async () => {
  await using app = await TrpcHarness.open({ callsPerMinute: 3 });
  const [one, other] = [await app.signIn('one@crier.test'), await app.signIn('other@crier.test')];
  const answers: number[] = [];
  for (const path of ['session.get', 'sessions.list', 'workspaces.list', 'sessions.list'])
    answers.push((await app.call(one, path, undefined)).status);
  expect([...answers, (await app.call(other, 'sessions.list', undefined)).status]).toEqual([200, 200, 200, 429, 200]);
});
