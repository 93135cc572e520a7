/** As OpenTelemetry names them: who asks, who is asked, who sends a message, who works one off. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** Ids, words of closed lists and numbers. Never a text of a tenant, an address of one, a token or a key. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly kind: SpanKind;
  /** `traceparent` of the span that this one is a part of; left out: it begins a trace of its own. */
  readonly parent?: string | undefined;
  /** `traceparent` of spans that caused it and are not waited for. */
  readonly links?: readonly string[];
  readonly attributes?: SpanAttributes;
  /** From `Tracer.now`, of work that began before it was known what it is about; left out: now. */
  readonly startedAt?: number;
}

/** A piece of work of one process. */
export interface TraceSpan {
  /** Its `traceparent`, for what it causes; undefined: tracing is off. */
  readonly trace: string | undefined;
  set(attributes: SpanAttributes): void;
  /** Once. `error`: a word for why it failed, as `error.type`; left out: it did not. */
  end(error?: string): void;
}

/**
 * Traces of what this process does. Nothing here throws or waits, and nothing goes by what it answers: without it all
 * else is the same.
 */
export interface Tracer {
  /** False: no span is seen by anybody. What is gathered for spans alone is left out then. */
  readonly isOn: boolean;
  /** By the clock of spans, in milliseconds since the epoch: an operator does not move it. */
  now(): number;
  start(name: string, options: SpanStart): TraceSpan;
}

const NO_SPAN: TraceSpan = { trace: undefined, set: () => {}, end: () => {} };

/** Tracing is off: one span for everything, which keeps nothing. */
export const NO_TRACER: Tracer = { isOn: false, now: () => 0, start: () => NO_SPAN };
