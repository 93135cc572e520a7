/** What a message says of the trace that it belongs to. It travels beside the message's body, never in it. */
export interface TraceCarrier {
  /** W3C `traceparent` of the span that caused it; left out: nobody traces it. */
  readonly trace?: string;
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The `traceparent` that a client or a record brought; undefined: none, or one that is not well-formed. */
export function traceparentOf(text: string | readonly string[] | undefined): string | undefined {
  return typeof text === 'string' && TRACEPARENT.test(text) ? text : undefined;
}

/** Whether somebody keeps the trace: what is linked to another one can not be found. */
export function isSampled(trace: string): boolean {
  return (Number.parseInt(trace.slice(-1), 16) & 1) === 1;
}

/** Of a `traceparent`, for a log line; undefined: there is none. */
export function traceIdOf(trace: string | undefined): string | undefined {
  return trace?.slice(3, 35);
}
