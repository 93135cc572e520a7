import { destination as openDestination, pino, type DestinationStream } from 'pino';
import { EVENT_SPECS, FAILURE_SPECS, type EventName, type FailureName } from '#reporting/catalogue.ts';
import type { EventSpec, Level } from '#reporting/event.ts';
import type { Facts } from '#reporting/fact.ts';
import type { Reporter } from '#reporting/reporter.ts';

/** Counts events; libs/adapters/prometheus implements it. */
export interface EventCounters {
  record(event: EventName, facts: Facts): void;
  failed(event: FailureName): void;
  wrote(level: Level): void;
}

/** Which process a line is from, beside its number: the same on every line. */
export interface LineOrigin {
  readonly version: string;
  readonly roles: readonly string[];
  /** The name of its machine or pod. */
  readonly instance: string;
}

export interface ReporterOptions {
  readonly process: LineOrigin;
  /** Lines below this level are not written. */
  readonly level: Level | 'silent';
  /** Answers to requests from outside are written at `info`; else at `debug`. */
  readonly accessLog?: boolean;
  /** Stderr when left out. */
  readonly destination?: DestinationStream;
  readonly metrics: EventCounters;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic?: () => number;
}

const SERVICE = 'crier';
const STDERR = 2;
const REPEAT_EVERY_MS = 1_000;
const MAX_TEXT_CHARACTERS = 2_000;
const MAX_IDS = 2_000;
const MAX_WAITING_BYTES = 1_000_000;

/** A reporter whose log may be made wider and narrower while it runs; metrics count the same at every level. */
export interface LevelledReporter extends Reporter {
  setLevel(level: Level | 'silent'): void;
}

/**
 * Writes one JSON line for each event and feeds its metrics. An event below the level, or left out because it repeats,
 * is counted all the same. Never throws, whatever the facts and the error are.
 */
export function createReporter({
  process: { version, roles, instance },
  level,
  accessLog = false,
  destination,
  metrics,
  monotonic = () => performance.now(),
}: ReporterOptions): LevelledReporter {
  // Unbuffered: a buffered destination of the library loops for ever at exit (EPIPE in flushSync) when the reader of
  // stderr has closed it.
  const stream = destination ?? openStderr();
  const logger = pino(
    {
      level,
      base: { pid: process.pid, service: SERVICE, version, roles: roles.join(','), instance },
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const repeats = new RepeatLimit(monotonic);

  const write = (event: string, { level: at, repeats: isRepeat }: LineRule, facts: () => Line): void => {
    if (!logger.isLevelEnabled(at)) return;
    const suppressed = isRepeat ? repeats.admit(event) : 0;
    if (suppressed === null) return;
    logger[at]({ ...facts(), ...(suppressed > 0 && { suppressed }) }, event);
    metrics.wrote(at);
  };

  return {
    setLevel: (next) => {
      logger.level = next;
    },
    report: (event, facts: Facts = {}) => {
      metrics.record(event, facts);
      const spec = EVENT_SPECS.get(event);
      if (spec?.isWritten !== false) write(event, ruleOf(spec, facts, accessLog), () => shortened(facts));
    },
    failure: (event, error, facts: Facts = {}) => {
      metrics.failed(event);
      const rule = FAILURE_SPECS.get(event) ?? UNKNOWN_FAILURE;
      write(event, rule, () => ({ ...shortened(facts), error: described(error, rule.level === 'error') }));
    },
  };
}

type Line = Record<string, unknown>;
type LineRule = Pick<EventSpec, 'level' | 'repeats'>;

// A name that came past the types is written all the same.
const UNKNOWN_EVENT: LineRule = { level: 'info', repeats: false };
const UNKNOWN_FAILURE: LineRule = { level: 'error', repeats: false };
const ACCESS: LineRule = { level: 'info', repeats: false };
const WARNING: LineRule = { level: 'warn', repeats: true };

function ruleOf(spec: EventSpec | undefined, facts: Facts, accessLog: boolean): LineRule {
  if (spec === undefined) return UNKNOWN_EVENT;
  const [fact, values] = spec.warnsWhen ?? [];
  if (fact !== undefined && values?.includes(facts[fact]) === true) return WARNING;
  return spec.isAccess && accessLog ? ACCESS : spec;
}

/**
 * Lines that can't be written now, for example because the disk of the log is full, wait up to `MAX_WAITING_BYTES`;
 * further ones are dropped. The error is ignored: the process goes on without its log, and has no other place for it.
 */
function openStderr(): DestinationStream {
  const stream = openDestination({ dest: STDERR, sync: true, maxLength: MAX_WAITING_BYTES });
  stream.on('error', () => {});
  return stream;
}

/**
 * The rate limit of an event that repeats: the first line is written, then one a second, with the number of lines that
 * were left out before it.
 */
class RepeatLimit {
  readonly #monotonic: () => number;
  readonly #events = new Map<string, { next: number; suppressed: number }>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** The number of lines left out since the last one; null: this line is left out too. */
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

function shortened(facts: Facts): Line {
  const short: Line = {};
  for (const [name, fact] of Object.entries(facts)) {
    if (typeof fact === 'string') short[name] = cut(fact);
    else if (!Array.isArray(fact)) short[name] = fact;
    // Ids. Durations of a batch go to its histogram only.
    else if (typeof fact[0] === 'string') short[name] = fact.slice(0, MAX_IDS);
  }
  return short;
}

function described(error: unknown, withStack: boolean): Line {
  if (!(error instanceof Error)) return { message: stringOf(() => error) };
  const kind = (error as { readonly kind?: unknown }).kind;
  const cause = stringOf(() => (error.cause instanceof Error ? error.cause.message : (error.cause ?? '')));
  return {
    name: stringOf(() => error.name),
    message: stringOf(() => error.message),
    ...(typeof kind === 'string' && { kind }),
    ...(cause !== '' && { cause }),
    ...(withStack && { stack: stringOf(() => error.stack ?? '') }),
  };
}

/** Any value can be thrown, also one that can't be made a string. */
function stringOf(read: () => unknown): string {
  try {
    return cut(String(read()));
  } catch {
    return 'an error that can not be described';
  }
}

function cut(text: string): string {
  return text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS)}...` : text;
}
