import { connect } from 'node:net';
import type { Express } from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import type { ListeningService } from '#runtime/listening.ts';
import { until } from '#testing/until.ts';
import { createAppService } from './service.ts';

let clock: MemoryClock;
let reporter: MemoryReporter;
let service: ListeningService;
beforeEach(async () => {
  clock = createMemoryClock();
  reporter = createMemoryReporter();
  const door = {
    addTo: (app: Express) => {
      app.get('/links/:token', (_request, response) => void response.end('a link'));
      app.get('/large', (_request, response) => void response.end(Buffer.alloc(16_000_000)));
      app.get('/broken', () => {
        throw new Error('a defect of ours');
      });
    },
  };
  const listening = { host: '127.0.0.1', port: 0, tls: null, trustedProxies: [], publicUrl: 'http://crier.test' };
  service = createAppService(door, { ...listening, clock, ids: createSeededIds(1), reporter });
  await service.start();
});
afterEach(() => service.stop());

test.each([
  ['/links/x', 200, 'a link'],
  ['/nowhere', 404, 'There is nothing at this address.'],
  ['/links/%E0%A4%A', 400, 'not validly encoded'],
  ['/broken', 503, 'try again'],
])('apart from ingress, %s is answered %i, without what is inside', async (path, status, said) => {
  const answer = await fetch(service.address().url + path);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([status, expect.stringContaining(said)]);
  expect(text).not.toMatch(/<pre>|node_modules|of ours/);
});

test('apart from ingress, a defect is reported', async () => {
  await fetch(`${service.address().url}/broken`);
  await fetch(`${service.address().url}/links/%E0%A4%A`);
  expect(reporter.failures().map(({ event }) => event)).toEqual(['people-page-failed']);
});

test('apart from ingress, a client that reads nothing of its answer is cut off and named', async () => {
  const socket = connect(service.address().port, '127.0.0.1').on('error', () => {});
  socket.pause();
  socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => clock.armed() === 1, { what: 'the answer to wait' });
  await clock.advance(35_000);
  const cutOff = reporter.of('slow-client-disconnected');
  expect(cutOff.map(({ facts }) => [facts['pool'], facts['client']])).toEqual([['answers', '127.0.0.1']]);
  socket.destroy();
});
