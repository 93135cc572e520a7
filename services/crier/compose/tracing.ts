import { hostname } from 'node:os';
import type { ExportingTracer } from '#adapters/opentelemetry/tracer.ts';
import type { Config, Environment } from '#config/config.ts';
import { tracingOf } from '#config/tracing.ts';
import { VERSION } from '#config/version.ts';
import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';

export interface TracingOptions {
  readonly clock: Pick<Clock, 'unmoved' | 'after'>;
  readonly reporter: Reporter;
}

/** How long the end of a process waits for its last spans to reach the collector. */
const MAX_FLUSH_MS = 2_000;

/** Null: traces are off, and OpenTelemetry's modules are not loaded. */
export async function openTracing(
  config: Pick<Config, 'engine' | 'roles'>,
  env: Environment,
  { clock, reporter }: TracingOptions,
): Promise<(ExportingTracer & { end(): Promise<void> }) | null> {
  const tracing = tracingOf(env);
  if (tracing === null) return null;
  const { createOpenTelemetryTracer } = await import('#adapters/opentelemetry/tracer.ts');
  const { openCollector, resourceOf } = await import('#adapters/opentelemetry/collector.ts');
  const tracer = createOpenTelemetryTracer({
    ...tracing,
    exporter: openCollector(),
    resource: resourceOf({
      'service.name': 'crier',
      'service.version': VERSION,
      'service.instance.id': `${hostname()}/${process.pid}`,
      'crier.roles': config.roles.join(','),
    }),
    messagingSystem: config.engine === 'cluster' ? 'kafka' : 'sqlite',
    clock,
    reporter,
  });
  return { ...tracer, end: () => tracer.close(MAX_FLUSH_MS) };
}
