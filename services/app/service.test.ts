import type { Express } from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import type { ListeningService } from '#runtime/listening.ts';
import { createAppService } from './service.ts';

let reporter: MemoryReporter;
let service: ListeningService;
beforeEach(async () => {
  reporter = createMemoryReporter();
  const door = {
    addTo: (app: Express) => {
      app.get('/links/:token', (_request, response) => void response.end('a link'));
      app.get('/broken', () => {
        throw new Error('a defect of ours');
      });
    },
  };
  const listening = { host: '127.0.0.1', port: 0, tls: null, trustedProxies: [], publicUrl: 'http://crier.test' };
  service = createAppService(door, { ...listening, clock: createMemoryClock(), ids: createSeededIds(1), reporter });
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
