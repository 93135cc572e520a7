import { destination as openDestination, pino, type DestinationStream, type Logger } from 'pino';
import type { Level, Reporter } from '#ports/reporter.ts';
import { levelOfFailure, levelOfReport, type EventLevel } from '#reporting/event-levels.ts';
import type { Facts } from '#reporting/metrics.ts';

/** What counts events; see libs/adapters/prometheus. */
export interface EventCounters {
  record(event: string, facts: Facts): void;
  failed(event: string): void;
}

export interface ReporterOptions {
  /** The least level that is written. */
  readonly level: Level | 'silent';
  /** Left out: stderr. */
  readonly destination?: DestinationStream;
  readonly metrics: EventCounters;
  /** Milliseconds that never go back. */
  readonly monotonic?: () => number;
}

const STDERR = 2;
const REPEAT_EVERY_MS = 1_000;
const MAX_TEXT = 2_000;
/** Bytes. */
const MAX_WAITING = 1_000_000;

/**
 * Writes one JSON line an event and feeds its metrics. What is not written is counted all the same. Never throws for
 * what it is told.
 */
export function createReporter({
  level,
  destination,
  metrics,
  monotonic = () => performance.now(),
}: ReporterOptions): Reporter {
  // Written at once: the library's buffered way spins for ever at exit when the reader of stderr has gone (EPIPE in
  // flushSync).
  const stream = destination ?? openStderr();
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const repeats = new Repeats(monotonic);

  const write = (
    event: string,
    { level: at, repeats: isRepeat }: EventLevel,
    facts: () => Record<string, unknown>,
  ): void => {
    if (!logger.isLevelEnabled(at)) return;
    const suppressed = isRepeat ? repeats.admit(event) : 0;
    if (suppressed === null) return;
    line(logger, at, event, { ...facts(), ...(suppressed > 0 && { suppressed }) });
  };

  return {
    report: (event, facts = {}) => {
      metrics.record(event, facts);
      write(event, levelOfReport(event, facts), () => shortened(facts));
    },
    failure: (event, error, facts = {}) => {
      metrics.failed(event);
      const eventLevel = levelOfFailure(event);
      write(event, eventLevel, () => ({ ...shortened(facts), error: described(error, eventLevel.level === 'error') }));
    },
  };
}

/**
 * What can't be written for now (the log's own disk may be the full one) waits up to `MAX_WAITING` and is dropped
 * beyond; the error is no reason to end, and there is nobody to tell it to.
 */
function openStderr(): DestinationStream {
  const stream = openDestination({ dest: STDERR, sync: true, maxLength: MAX_WAITING });
  stream.on('error', () => {});
  return stream;
}

function line(logger: Logger, level: Level, event: string, facts: Record<string, unknown>): void {
  logger[level](facts, event);
}

/**
 * Which lines of an event that repeats are written: the first, then one a second that says how many were left out
 * before it.
 */
class Repeats {
  readonly #monotonic: () => number;
  readonly #events = new Map<string, { next: number; suppressed: number }>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** How many were left out since the last line; null: leave this one out too. */
  admit(event: string): number | null {
    const now = this.#monotonic();
    const known = this.#events.get(event);
    if (known !== undefined && now < known.next) {
      known.suppressed++;
      return null;
    }
    this.#events.set(event, { next: now + REPEAT_EVERY_MS, suppressed: 0 });
    return known?.suppressed ?? 0;
  }
}

function shortened(facts: Facts): Record<string, unknown> {
  const short: Record<string, unknown> = {};
  for (const [name, fact] of Object.entries(facts)) short[name] = typeof fact === 'string' ? cut(fact) : fact;
  return short;
}

function described(error: unknown, withStack: boolean): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: worded(() => error) };
  const kind = (error as { readonly kind?: unknown }).kind;
  const cause = worded(() => (error.cause instanceof Error ? error.cause.message : (error.cause ?? '')));
  return {
    name: worded(() => error.name),
    message: worded(() => error.message),
    ...(typeof kind === 'string' && { kind }),
    ...(cause !== '' && { cause }),
    ...(withStack && { stack: worded(() => error.stack ?? '') }),
  };
}

/** Anything can be thrown, also what can't be put in words. */
function worded(read: () => unknown): string {
  try {
    return cut(String(read()));
  } catch {
    return 'an error that has no words';
  }
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
}
