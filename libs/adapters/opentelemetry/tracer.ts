import { ROOT_CONTEXT, SpanKind as Kind, SpanStatusCode, trace as api, type SpanContext } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { settledWithin } from '#concurrency/deadline.ts';
import type { Clock } from '#ports/clock.ts';
import type { SpanAttributes, SpanKind, SpanStart, Tracer, TraceSpan } from '#ports/tracer.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { CountedSpans } from './counted-spans.ts';

export interface OpenTelemetryOptions {
  readonly exporter: SpanExporter;
  /** `ratio`: of the traces that begin here, those that are kept. */
  readonly sampler: { readonly isParentBased: boolean; readonly ratio: number };
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
  readonly scheduleDelayMs: number;
  readonly exportTimeoutMs: number;
  /** Of every span: which process it is from. */
  readonly resource: SpanAttributes;
  /** What the log is, for spans of messages. */
  readonly messagingSystem: string;
  readonly clock: Pick<Clock, 'unmoved' | 'after'>;
  readonly reporter: Pick<Reporter, 'report'>;
}

/** A tracer whose spans go to a collector in the background; who ends a span never waits for that. */
export interface ExportingTracer extends Tracer {
  /** Sends what waits; resolves when it is sent, or after `withinMs`. Never rejects. */
  flush(withinMs: number): Promise<void>;
  /** The same, and no span is taken any more. */
  close(withinMs: number): Promise<void>;
}

const KINDS: Readonly<Record<SpanKind, Kind>> = {
  internal: Kind.INTERNAL,
  server: Kind.SERVER,
  client: Kind.CLIENT,
  producer: Kind.PRODUCER,
  consumer: Kind.CONSUMER,
};

export function createOpenTelemetryTracer(options: OpenTelemetryOptions): ExportingTracer {
  const { clock, messagingSystem } = options;
  const counted = new CountedSpans(options.exporter, options);
  const processor = new BatchSpanProcessor({
    exporter: counted.exporter,
    maxQueueSize: options.maxQueueSize,
    maxExportBatchSize: options.maxExportBatchSize,
    scheduledDelayMillis: options.scheduleDelayMs,
    exportTimeoutMillis: options.exportTimeoutMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...options.resource }),
    sampler: samplerOf(options.sampler),
    spanProcessors: [counted.before(processor)],
  });
  const tracer = provider.getTracer('crier');
  return {
    isOn: true,
    now: () => clock.unmoved(),
    start: (name, { kind, parent, links = [], attributes, startedAt }: SpanStart): TraceSpan => {
      const isOfMessages = kind === 'producer' || kind === 'consumer';
      const span = tracer.startSpan(
        name,
        {
          kind: KINDS[kind],
          links: links.map((link) => ({ context: contextOf(link) })),
          attributes: { ...(isOfMessages && { 'messaging.system': messagingSystem }), ...attributes },
          ...(startedAt !== undefined && { startTime: startedAt }),
        },
        parent === undefined ? ROOT_CONTEXT : api.setSpanContext(ROOT_CONTEXT, contextOf(parent)),
      );
      return {
        trace: traceparentFor(span.spanContext()),
        set: (more) => void span.setAttributes({ ...more }),
        end: (error) => {
          if (error !== undefined) {
            span.setAttribute('error.type', error);
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        },
      };
    },
    flush: (withinMs) => settledWithin(clock, withinMs, processor.forceFlush()),
    close: async (withinMs) => {
      await settledWithin(clock, withinMs, provider.shutdown());
      counted.end();
    },
  };
}

function samplerOf({ isParentBased, ratio }: OpenTelemetryOptions['sampler']): Sampler {
  const root =
    ratio >= 1 ? new AlwaysOnSampler() : ratio <= 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

/** `traceparent` is well-formed: whoever took it in checked that. */
function contextOf(traceparent: string): SpanContext {
  const [, traceId, spanId, flags] = traceparent.split('-') as [string, string, string, string];
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function traceparentFor({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
