import { expect, test } from 'vitest';
import { tracingOf, tracingWarnings } from './tracing.ts';

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

test.each([
  ['nothing is set', {}],
  ['the exporter is none', { ...ON, OTEL_TRACES_EXPORTER: 'none' }],
  ['OpenTelemetry is disabled', { ...ON, OTEL_SDK_DISABLED: 'true' }],
  ['only the sampler is set', { OTEL_TRACES_SAMPLER: 'always_on' }],
  ['the address is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
])('traces are off where %s', (_, env) => {
  expect([tracingOf(env), tracingWarnings(env)]).toEqual([null, []]);
});

test.each([
  [{}, { isParentBased: true, ratio: 1 }],
  [{ OTEL_TRACES_SAMPLER: 'always_on' }, { isParentBased: false, ratio: 1 }],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, { isParentBased: true, ratio: 0 }],
  [
    { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
    { isParentBased: true, ratio: 0.25 },
  ],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio' }, { isParentBased: false, ratio: 1 }],
])('%j samples %j', (env, sampler) => {
  expect(tracingOf({ ...ON, ...env })).toEqual({
    sampler,
    maxQueueSize: 2_048,
    maxExportBatchSize: 512,
    scheduleDelayMs: 5_000,
    exportTimeoutMs: 30_000,
  });
  expect(tracingWarnings({ ...ON, ...env })).toEqual([]);
});

test('what is wrong is reported and stops nothing', () => {
  const env = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_BSP_MAX_QUEUE_SIZE: '-1',
  };
  expect(tracingWarnings(env).map((line) => line.split(' ')[0])).toEqual([
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_BSP_MAX_QUEUE_SIZE',
    'OTEL_TRACES_SAMPLER',
  ]);
  expect(tracingOf(env)).toMatchObject({ sampler: { isParentBased: true, ratio: 1 }, maxQueueSize: 2_048 });
  expect(tracingWarnings({ ...ON, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' })).toHaveLength(
    1,
  );
});
