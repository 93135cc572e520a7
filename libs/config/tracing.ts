import type { Environment } from './config.ts';

/** OpenTelemetry's own settings, as far as anything here goes by them; its exporter reads the first group by itself. */
export const TRACING_VARIABLES: readonly {
  readonly variable: string;
  readonly fallback: string;
  readonly doc: string;
}[] = [
  {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: '',
    doc: 'Address of a collector that takes OTLP over HTTP (`http://collector:4318`); traces are off when left out',
  },
  {
    variable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    fallback: '',
    doc: 'The same for traces alone, with its whole path; it turns them on as well',
  },
  {
    variable: 'OTEL_EXPORTER_OTLP_HEADERS, _TIMEOUT, _COMPRESSION, _CERTIFICATE, _CLIENT_CERTIFICATE, _CLIENT_KEY',
    fallback: '',
    doc: 'How the collector is reached, as OpenTelemetry says; each also with `_TRACES_` behind `OTLP`',
  },
  {
    variable: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    fallback: 'http/protobuf',
    doc: 'Nothing else is spoken: another one is reported as a warning, and this one is used',
  },
  { variable: 'OTEL_SERVICE_NAME', fallback: 'crier', doc: '`service.name` of the spans' },
  {
    variable: 'OTEL_RESOURCE_ATTRIBUTES',
    fallback: '',
    doc: 'Further attributes of every span: `key=value,key=value`',
  },
  {
    variable: 'OTEL_TRACES_SAMPLER',
    fallback: 'parentbased_always_on',
    doc: '`always_on`, `always_off`, `traceidratio`, or one of these with `parentbased_` before it: then a client that sends `traceparent` says whether its trace is kept',
  },
  {
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1',
    doc: 'The part of the traces that `traceidratio` keeps: 0 to 1',
  },
  { variable: 'OTEL_TRACES_EXPORTER', fallback: 'otlp', doc: '`none` turns traces off' },
  { variable: 'OTEL_SDK_DISABLED', fallback: 'false', doc: '`true` turns traces off' },
  {
    variable: 'OTEL_BSP_MAX_QUEUE_SIZE',
    fallback: '2048',
    doc: 'Spans that wait for the collector; further ones are dropped, and counted',
  },
  { variable: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', fallback: '512', doc: 'Spans of one request to the collector' },
  { variable: 'OTEL_BSP_SCHEDULE_DELAY', fallback: '5000', doc: 'Milliseconds between two requests' },
  { variable: 'OTEL_BSP_EXPORT_TIMEOUT', fallback: '30000', doc: 'Milliseconds after which a request is given up' },
];

/** How traces are kept. */
export interface Tracing {
  readonly sampler: Sampling;
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
  readonly scheduleDelayMs: number;
  readonly exportTimeoutMs: number;
}

export interface Sampling {
  /** Whether a span of a trace that began elsewhere is kept where that trace is. */
  readonly isParentBased: boolean;
  /** The part of the traces that begin here and are kept: 0 to 1. */
  readonly ratio: number;
}

/** By OpenTelemetry's own variables; null: traces are off. */
export function tracingOf(env: Environment): Tracing | null {
  return readTracing(env).tracing;
}

/**
 * What is wrong with them, one line each. They stop no start, as OpenTelemetry defines: the variables are often set for
 * all programs of a machine at once.
 */
export function tracingWarnings(env: Environment): readonly string[] {
  return readTracing(env).warnings;
}

function readTracing(env: Environment): { readonly tracing: Tracing | null; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const written = (name: string): string => env[name]?.trim() ?? '';
  const isOn =
    (written('OTEL_EXPORTER_OTLP_ENDPOINT') !== '' || written('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') !== '') &&
    written('OTEL_TRACES_EXPORTER').toLowerCase() !== 'none' &&
    written('OTEL_SDK_DISABLED').toLowerCase() !== 'true';
  if (!isOn) return { tracing: null, warnings };
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])
    if (written(name) !== '' && !/^https?:$/.test(URL.parse(written(name))?.protocol ?? ''))
      warnings.push(`${name} is no http or https address: no trace reaches a collector`);
  const protocol = written('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || written('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== '' && protocol !== 'http/protobuf')
    warnings.push(`OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}", and traces are sent as http/protobuf only`);
  const count = (name: string, fallback: number): number => {
    const value = written(name) === '' ? fallback : Number(written(name));
    if (Number.isSafeInteger(value) && value > 0) return value;
    warnings.push(`${name} is no whole number above 0: ${fallback} is used`);
    return fallback;
  };
  const maxQueueSize = count('OTEL_BSP_MAX_QUEUE_SIZE', 2_048);
  const tracing: Tracing = {
    sampler: samplingOf(written('OTEL_TRACES_SAMPLER'), written('OTEL_TRACES_SAMPLER_ARG'), warnings),
    maxQueueSize,
    maxExportBatchSize: Math.min(maxQueueSize, count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512)),
    scheduleDelayMs: count('OTEL_BSP_SCHEDULE_DELAY', 5_000),
    exportTimeoutMs: count('OTEL_BSP_EXPORT_TIMEOUT', 30_000),
  };
  return { tracing, warnings };
}

function samplingOf(sampler: string, argument: string, warnings: string[]): Sampling {
  const [, parentBased, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(sampler) ?? [];
  if (sampler !== '' && kind === undefined)
    warnings.push(`OTEL_TRACES_SAMPLER is "${sampler}", which is not known here: every trace is kept`);
  if (kind === undefined) return { isParentBased: true, ratio: 1 };
  const isParentBased = parentBased !== undefined;
  if (kind !== 'traceidratio') return { isParentBased, ratio: kind === 'always_on' ? 1 : 0 };
  const ratio = argument === '' ? 1 : Number(argument);
  if (ratio >= 0 && ratio <= 1) return { isParentBased, ratio };
  warnings.push('OTEL_TRACES_SAMPLER_ARG is no number from 0 to 1: every trace is kept');
  return { isParentBased, ratio: 1 };
}
