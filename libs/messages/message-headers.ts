import { traceparentOf, type TraceCarrier } from '#domain/traceparent.ts';

/** Of a record of the log; left out: it has none. */
interface WithHeaders {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The name that W3C gives it: other programs that read our topics look for it, too. */
const TRACEPARENT = 'traceparent';

/** The part of a record that says which trace its message belongs to; undefined: to none. */
export function traceHeaders({ trace }: TraceCarrier): WithHeaders | undefined {
  return trace === undefined ? undefined : { headers: { [TRACEPARENT]: trace } };
}

/** The message as its record brought it: with the trace that it belongs to. */
export function withTrace<M extends TraceCarrier>(message: M, { headers }: WithHeaders): M {
  const trace = headers === undefined ? undefined : traceparentOf(headers[TRACEPARENT]);
  return trace === undefined ? message : { ...message, trace };
}
