import { TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import { sendAgain } from './send-again.ts';

function failing(times: number, error: unknown) {
  let calls = 0;
  const send = async (): Promise<string> => {
    calls += 1;
    if (calls <= times) throw error;
    return 'done';
  };
  return { send, calls: () => calls };
}

const LOST = new TRPCClientError('fetch failed');
const REFUSED = Object.assign(new TRPCClientError('no'), {
  data: { problem: { code: 'not_cancellable', message: 'It is not waiting any more.' } },
});

test('a change whose answer was lost is sent again, three times at most; a refusal is an answer', async () => {
  const [lost, refused, gone] = [failing(2, LOST), failing(1, REFUSED), failing(9, LOST)];
  expect([await sendAgain(lost.send, [0, 0]), lost.calls()]).toEqual(['done', 3]);
  await expect(sendAgain(refused.send, [0, 0])).rejects.toBe(REFUSED);
  await expect(sendAgain(gone.send, [0, 0])).rejects.toBe(LOST);
  expect([refused.calls(), gone.calls()]).toEqual([1, 3]);
});
