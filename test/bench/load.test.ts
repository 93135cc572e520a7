import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { sendLoad } from './load.ts';

test('a run that fails prints the first body of each status, not of the first failure alone', async () => {
  const statuses = [503, 429, 201, 503, 429, 201];
  let count = 0;
  const server = createServer((_, response) => {
    const index = count++;
    response.writeHead(statuses[index % statuses.length]!).end(`answer ${index}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const load = sendLoad({
      ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, clients: 1, ratePerSecond: null },
      ...{ warmUp: { requests: 0 }, measured: { requests: statuses.length }, requests: { kind: 'bare' } },
    });
    await expect(load).rejects.toThrow(
      'requests failed: {"429":2,"503":2} of 6\n  the first 429: answer 1\n  the first 503: answer 0',
    );
  } finally {
    server.close();
  }
});
