import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { announceProcess } from '#tables/repositories/announced-processes.ts';
import { KnownAddresses } from '#tables/repositories/known-addresses.ts';
import { createOpsServer } from '#services/ops/server.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import { createAnswersRouter } from './answers-router.ts';
import { createAnswerHints, type AnswerHintsOptions } from './answers.ts';

const TOKEN = 'an admin token of some length';
const OWN = 'http://127.0.0.1:9/';
const answer = (requestId: string): CommandAnswer => ({ requestId, result: { ok: true, kind: 'done' } });

function hints(standing: AnswerHintsOptions['standing'] = () => 'known') {
  const clock = createMemoryClock();
  const reporter = createMemoryReporter();
  const received: CommandAnswer[] = [];
  return {
    clock,
    reporter,
    received,
    ...createAnswerHints({
      ...{ ownUrl: OWN, internalToken: TOKEN, standing, clock, reporter },
      hear: (each) => received.push(each),
    }),
  };
}

/** Another process: the answers that it received, call by call. */
async function neighbour() {
  const calls: string[][] = [];
  let current: string[] = [];
  const server = createOpsServer({
    host: '127.0.0.1',
    port: 0,
    operators: [],
    strangers: { take: () => null },
    internalTokens: [TOKEN],
    contextOf: () => ({}),
    health: async () => ({ ready: true, checks: [] }),
    hanging: () => [],
    metrics: { text: async () => '', contentType: 'text/plain' },
    answers: createAnswersRouter(({ requestId }) => {
      if (current.length === 0)
        queueMicrotask(() => {
          calls.push(current);
          current = [];
        });
      current.push(requestId);
    }),
    router: null,
    registry: null,
    reporter: createMemoryReporter(),
  });
  await server.start();
  return { calls, url: server.address().url, [Symbol.asyncDispose]: () => server.stop() };
}

async function until(done: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!done()) {
    if (performance.now() > deadline) throw new Error('the callers never got an answer');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('answer hints', () => {
  test('answers for this process never leave it', () => {
    const here = hints();
    here.answer('http://127.0.0.1:9', answer('a'));
    here.answer(OWN, answer('b'));
    expect(here.received.map(({ requestId }) => requestId)).toEqual(['a', 'b']);
  });

  test('answers of one moment travel together, a hundred a call, in order', async () => {
    await using there = await neighbour();
    const here = hints();
    for (let each = 0; each < 250; each++) here.answer(there.url, answer(String(each)));
    await until(() => there.calls.flat().length === 250);
    expect(there.calls.map((call) => call.length)).toEqual([100, 100, 50]);
    expect(there.calls.flat()).toEqual(Array.from({ length: 250 }, (_, each) => String(each)));
  });

  test('an address that no process of the installation listens at is not called, and counted', async () => {
    await using there = await neighbour();
    let calls = 0;
    const stranger = createServer((_request, response) => void response.end(String(calls++)));
    const url = await listening(stranger);
    const store = createMemoryTableStore();
    const known = new KnownAddresses({ store, clock: createMemoryClock() });
    const row = { instance: 'i', publishes: [], secretKeys: [], seenAt: 0, stoppedAt: null };
    await announceProcess(store, { ...row, address: there.url }, { over: null, token: 't' });
    const here = hints((address) => known.standing(address));
    for (const forged of [url, `${url}/`, `${there.url}@127.0.0.1:1`, there.url.replace('http:', 'https:'), 'x'])
      here.answer(forged, answer('forged'));
    here.answer(`${there.url}/`, answer('right'));
    await until(() => there.calls.length === 1 && here.reporter.of('answer-hint-refused').length === 5);
    expect([there.calls, calls]).toEqual([[['right']], 0]);
    expect(here.reporter.of('answer-hint-refused')[0]!.facts).toEqual({ target: url });
    stranger.close();
  });

  test('to a process that ended in order nothing is sent, and nothing is reported', async () => {
    const here = hints(() => Promise.resolve('gone'));
    here.answer('http://127.0.0.1:1', answer('late'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(here.reporter.events).toEqual([]);
  });

  test('each target has its own queue: an unreachable one delays no other', async () => {
    await using there = await neighbour();
    const here = hints();
    here.answer('http://127.0.0.1:1', answer('lost'));
    here.answer('no address', answer('lost'));
    here.answer(there.url, answer('found'));
    await until(() => there.calls.length === 1 && here.reporter.of('answer-hints-lost').length === 2);
    expect(here.received).toEqual([]);
  });

  test('a target that accepts but never answers gets one call; after two seconds that call and all waiting answers are dropped', async () => {
    let calls = 0;
    const silent = createServer(() => void calls++);
    const url = await listening(silent);
    const here = hints();
    here.answer(url, answer('first'));
    await until(() => calls === 1);
    for (let each = 0; each < 1_200; each++) here.answer(url, answer(String(each)));
    expect(here.reporter.of('answer-hints-lost').length).toBe(200);
    await here.clock.advance(2_000);
    await until(() => here.reporter.of('answer-hints-lost').length === 201);
    expect(here.reporter.of('answer-hints-lost').at(-1)!.facts).toMatchObject({ target: url, answers: 1_001 });
    expect(calls).toBe(1);
    expect(here.clock.armed()).toBe(0);
    silent.closeAllConnections();
    silent.close();
  });

  test('a target that was unreachable is tried again with the next answer', async () => {
    const here = hints();
    const refusing = createServer((_request, response) => response.writeHead(500).end('no JSON'));
    const url = await listening(refusing);
    here.answer(url, answer('lost'));
    await until(() => here.reporter.of('answer-hints-lost').length === 1);
    here.answer(url, answer('lost too'));
    await until(() => here.reporter.of('answer-hints-lost').length === 2);
    refusing.closeAllConnections();
    refusing.close();
    expect(here.reporter.failures()).toEqual([]);
  });

  test('once stopped, it drops what waits at once and accepts no more', async () => {
    let calls = 0;
    const silent = createServer(() => void calls++);
    const url = await listening(silent);
    const here = hints();
    here.answer(url, answer('a'));
    await until(() => calls === 1);
    here.stop();
    here.answer(url, answer('b'));
    await until(() => here.clock.armed() === 0);
    expect(here.reporter.events).toEqual([]);
    silent.closeAllConnections();
    silent.close();
  });
});
