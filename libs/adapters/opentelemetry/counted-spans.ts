import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Reporter } from '#reporting/reporter.ts';

/** Of an export that worked, in the library's terms. */
const SUCCESS = 0;

/**
 * Counts the spans that reach the collector, and those that do not: the library drops them silently, when more wait
 * than its queue holds and when the collector does not take them.
 */
export class CountedSpans {
  /** In place of the given one. */
  readonly exporter: SpanExporter;
  readonly #maxQueueSize: number;
  readonly #reporter: Pick<Reporter, 'report'>;
  #waiting = 0;
  #underWay = 0;
  #isOver = false;

  constructor(
    exporter: SpanExporter,
    { maxQueueSize, reporter }: { readonly maxQueueSize: number; readonly reporter: Pick<Reporter, 'report'> },
  ) {
    this.#maxQueueSize = maxQueueSize;
    this.#reporter = reporter;
    this.exporter = {
      export: (spans, done) => {
        this.#waiting -= spans.length;
        this.#underWay += spans.length;
        exporter.export(spans, (result) => {
          this.#underWay -= spans.length;
          this.#ended(spans.length, result.code === SUCCESS, result.error);
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
      ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush!() }),
    };
  }

  /** Hands on to `processor`, whose queue holds no more than ours, what finds room in it. */
  before(processor: SpanProcessor): SpanProcessor {
    return {
      onStart: (span, context) => processor.onStart(span, context),
      onEnd: (span) => this.#take(span, processor),
      forceFlush: () => processor.forceFlush(),
      shutdown: () => processor.shutdown(),
    };
  }

  /** Nothing is waited for any more: what no collector took so far is lost with this process. */
  end(): void {
    const count = this.#waiting + this.#underWay;
    this.#isOver = true;
    if (count > 0) this.#reporter.report('spans-dropped', { count, why: 'end', detail: null });
  }

  #take(span: ReadableSpan, processor: SpanProcessor): void {
    if ((span.spanContext().traceFlags & 1) === 0 || this.#isOver) return;
    if (this.#waiting >= this.#maxQueueSize)
      return this.#reporter.report('spans-dropped', { count: 1, why: 'queue', detail: null });
    this.#waiting++;
    processor.onEnd(span);
  }

  #ended(count: number, isSent: boolean, error: Error | undefined): void {
    if (this.#isOver) return;
    if (isSent) this.#reporter.report('spans-exported', { count });
    else this.#reporter.report('spans-dropped', { count, why: 'collector', detail: error?.message ?? null });
  }
}
