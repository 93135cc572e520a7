import compression from 'compression';
import express from 'express';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createSystemClock } from '#adapters/system/clock.ts';
import { inSlices } from '#concurrency/in-slices.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import { JsonText, sendProblem, sendSuccess } from './answer.ts';

const FRAME = { requestId: 'r1', allowance: null, closing: false, publicUrl: 'http://127.0.0.1' };

test('a long answer is sent whole, each part of it in a time slice of its Workspace', async () => {
  const texts = Array.from({ length: 3_000 }, (_, index) => `${index} é ${'word '.repeat(300)}`);
  const whole = texts.join('');
  let turns = 0;
  const slices = new TimeSlices({ clock: createSystemClock() });
  const counted: Pick<TimeSlices, 'run'> = { run: (of, piece) => ((turns += 1), slices.run(of, piece)) };
  const body = new JsonText((parts) => inSlices(parts, counted, 'w1'));
  for (const text of texts) body.add(text);
  const server = createServer((_, response) => sendSuccess(response, FRAME, { status: 200, body }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(await answer.text()).toBe(whole);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(whole.length / 70_000));
  } finally {
    server.close();
  }
});

test.each(['a', '\u0300'])(
  'a problem with a long message of %j is whole where answers are compressed',
  async (letter) => {
    const message = letter.repeat(10_000);
    const app = express();
    app.use(compression());
    app.use((_, response) => sendProblem(response, FRAME, { code: 'invalid_request', message }));
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      expect(answer.headers.get('content-encoding')).toBe('gzip');
      expect(await answer.json()).toMatchObject({ error: { code: 'invalid_request', message } });
    } finally {
      server.close();
    }
  },
);
