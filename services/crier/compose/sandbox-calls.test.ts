import { expect, test } from 'vitest';
import type { HttpClient } from '#ports/http-client.ts';
import { httpToSandbox } from './sandbox-calls.ts';

test('the sandbox is called where a process reaches it, and others are where they are', async () => {
  const asked: string[] = [];
  const http: HttpClient = {
    send: ({ url }) => {
      asked.push(url);
      return Promise.resolve({ status: 200, headers: {}, body: '' });
    },
  };
  const addresses = { sandboxUrl: 'http://localhost:18090', sandboxInternalUrl: 'http://sandbox:8090' };
  const urls = ['http://localhost:18090/sim/x/2/tweets?a=1', 'http://localhost:180901/', 'https://api.x.com/2/tweets'];
  for (const url of urls) await httpToSandbox(http, addresses).send({ method: 'GET', url, timeoutMs: 1_000 });
  expect(asked).toEqual(['http://sandbox:8090/sim/x/2/tweets?a=1', ...urls.slice(1)]);
});
