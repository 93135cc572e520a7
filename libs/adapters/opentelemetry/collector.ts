import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector } from '@opentelemetry/resources';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { SpanAttributes } from '#ports/tracer.ts';

/** The collector that OpenTelemetry's variables name, by which it is reached as they say. */
export function openCollector(): SpanExporter {
  return new OTLPTraceExporter();
}

/** `own`, with what OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say beside and in place of it. */
export function resourceOf(own: SpanAttributes): SpanAttributes {
  const said = Object.entries(detectResources({ detectors: [envDetector] }).attributes).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return { ...own, ...Object.fromEntries(said) };
}
