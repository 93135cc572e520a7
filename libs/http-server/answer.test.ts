import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createSystemClock } from '#adapters/system/clock.ts';
import { JsonPieces, sendSuccess } from './answer.ts';

const FRAME = { requestId: 'r1', allowance: null, closing: false, publicUrl: 'http://127.0.0.1' };

test('a long answer is sent whole, a part in each turn of the event loop', async () => {
  const texts = Array.from({ length: 3_000 }, (_, index) => `${index} é ${'word '.repeat(300)}`);
  const whole = texts.join('');
  let turns = 0;
  const system = createSystemClock();
  const clock = { sleep: (ms: number) => ((turns += 1), system.sleep(ms)) };
  const server = createServer((_, response) =>
    sendSuccess(response, FRAME, { status: 200, body: new JsonPieces(texts, clock) }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(await answer.text()).toBe(whole);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(whole.length / 70_000));
  } finally {
    server.close();
  }
});
