import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createFrontApp } from './front-door.ts';

async function headerOf(publicUrl: string, hstsSeconds?: number): Promise<string | null> {
  const told = hstsSeconds === undefined ? {} : { hstsSeconds };
  const app = createFrontApp({ trustedProxies: [], publicUrl: () => publicUrl, ...told });
  app.get('/', (_request, response) => void response.writeHead(204).end());
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return answer.headers.get('strict-transport-security');
}

test('where the public address is https, browsers are told to keep to it, and nothing of other hosts', async () => {
  expect(await headerOf('https://crier.test', 31_536_000)).toBe('max-age=31536000');
});

test.each([
  ['http://crier.test', 31_536_000],
  ['https://crier.test', 0],
  ['https://crier.test', undefined],
])('at %s with %s seconds they are told nothing', async (publicUrl, hstsSeconds) => {
  expect(await headerOf(publicUrl, hstsSeconds)).toBeNull();
});
