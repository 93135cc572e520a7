import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createOpenTelemetryTracer, type ExportingTracer } from '#adapters/opentelemetry/tracer.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';

/** A span, as a collector gets it. */
export interface KeptSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The real tracer, whose spans stay here in place of going to a collector. */
export interface KeptSpans {
  readonly tracer: ExportingTracer;
  /** Those that ended, in that order. */
  read(): Promise<readonly KeptSpan[]>;
}

export function keepSpans(): KeptSpans {
  const exporter = new InMemorySpanExporter();
  const tracer = createOpenTelemetryTracer({
    exporter,
    sampler: { isParentBased: true, ratio: 1 },
    maxQueueSize: 10_000,
    maxExportBatchSize: 10_000,
    scheduleDelayMs: 1_000,
    exportTimeoutMs: 10_000,
    resource: { 'service.name': 'crier' },
    messagingSystem: 'memory',
    clock: createSystemClock(),
    reporter: createMemoryReporter(),
  });
  const read = async (): Promise<readonly KeptSpan[]> => {
    await tracer.flush(10_000);
    return exporter.getFinishedSpans().map(keptOf);
  };
  return { tracer, read };
}

function keptOf(span: ReadableSpan): KeptSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    name: span.name,
    traceId,
    spanId,
    parentId: span.parentSpanContext?.spanId ?? null,
    links: span.links.map(({ context }) => ({ traceId: context.traceId, spanId: context.spanId })),
    attributes: span.attributes,
  };
}
