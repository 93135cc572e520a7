import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, expect, test } from 'vitest';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createOpenTelemetryTracer } from './tracer.ts';

const HOUR_MS = 3_600_000;
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

async function collector(answer: (taken: Buffer) => number | null): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const status = answer(Buffer.concat(chunks));
    if (status !== null) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void (server.close(), server.closeAllConnections()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, server };
}

interface More {
  readonly maxQueueSize?: number;
  readonly ratio?: number;
  readonly isParentBased?: boolean;
  readonly timeoutMs?: number;
}

function open(url: string, { maxQueueSize = 100, ratio = 1, isParentBased = true, timeoutMs = 500 }: More = {}) {
  const reporter = createMemoryReporter();
  const tracer = createOpenTelemetryTracer({
    exporter: new OTLPTraceExporter({ url, timeoutMillis: timeoutMs }),
    sampler: { isParentBased, ratio },
    maxQueueSize,
    maxExportBatchSize: 10,
    scheduleDelayMs: 60_000,
    exportTimeoutMs: HOUR_MS,
    resource: { 'service.name': 'crier' },
    messagingSystem: 'kafka',
    clock: createSystemClock(),
    reporter,
  });
  return { tracer, reporter };
}

test('spans reach a collector over OTLP, with their resource, and are counted', async () => {
  const taken: string[] = [];
  const { url } = await collector((body) => (taken.push(body.toString('latin1')), 200));
  const { tracer, reporter } = open(url);
  for (let each = 0; each < 3; each++)
    tracer.start(`a span ${each}`, { kind: 'producer', parent: PARENT, attributes: { 'crier.network': 'x' } }).end();
  await tracer.close(5_000);
  for (const words of ['a span 0', 'a span 2', 'service.name', 'crier.network', 'messaging.system'])
    expect(taken.join()).toContain(words);
  expect(reporter.of('spans-exported').map(({ facts }) => facts)).toEqual([{ count: 3 }]);
});

test('with a collector that is away nothing waits: what finds no room is dropped, and every loss is counted', async () => {
  const { url } = await collector(() => null);
  const { tracer, reporter } = open(url, { maxQueueSize: 20 });
  for (let each = 0; each < 1_000; each++) tracer.start('a span', { kind: 'internal' }).end();
  await tracer.close(20_000);
  const lost = reporter.of('spans-dropped').reduce((sum, { facts }) => sum + Number(facts['count']), 0);
  expect([lost, reporter.of('spans-exported')]).toEqual([1_000, []]);
});

test('closing waits for a collector that hangs no longer than it may', async () => {
  const { url } = await collector(() => null);
  const { tracer, reporter } = open(url, { timeoutMs: HOUR_MS });
  tracer.start('a span', { kind: 'internal' }).end();
  await tracer.close(100);
  expect(reporter.of('spans-dropped').map(({ facts }) => facts)).toEqual([{ count: 1, why: 'end', detail: null }]);
});

test('a trace that its client keeps is kept, and one that it does not keep is not, where sampling goes by that', () => {
  const { tracer } = open('http://127.0.0.1:1/', { ratio: 0 });
  const flags = (parent?: string) => tracer.start('a span', { kind: 'server', parent }).trace!.slice(-2);
  expect([flags(PARENT), flags(PARENT.replace(/1$/, '0')), flags()]).toEqual(['01', '00', '00']);
  const stubborn = open('http://127.0.0.1:1/', { ratio: 0, isParentBased: false }).tracer;
  expect(stubborn.start('a span', { kind: 'server', parent: PARENT }).trace!.slice(-2)).toBe('00');
});

test('a span is of the trace of its parent, and one without a parent begins a trace', () => {
  const { tracer } = open('http://127.0.0.1:1/');
  expect(tracer.start('a', { kind: 'server', parent: PARENT }).trace!.slice(3, 35)).toBe(PARENT.slice(3, 35));
  const [one, other] = [tracer.start('a', { kind: 'server' }), tracer.start('a', { kind: 'server' })];
  expect(one.trace!.slice(3, 35)).not.toBe(other.trace!.slice(3, 35));
});
