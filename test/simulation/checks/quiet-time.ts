import type { Aftermath } from '../aftermath.ts';

/** After a fault ended, what it left behind is caught up with. */
const RECOVERY_MS = 60_000;

interface Span {
  readonly from: number;
  readonly until: number;
}

export interface QuietTime {
  /** By the clock on the wall. */
  readonly wallMs: number;
  /** Of these, in which processes ran: when time is skipped, nothing does. */
  readonly ranMs: number;
}

/**
 * How long nothing was wrong between two instants: neither a fault, nor what it leaves behind, nor a hold. By this a
 * fault excuses what is late for as long as it lasted, and not whatever came due then, however late it comes.
 */
export function quietTime({
  world: { witness },
}: Pick<Aftermath, 'world'>): (from: number, until: number) => QuietTime {
  const leaps: Span[] = [];
  const faults: Span[] = [...witness.holds.map(({ from, until }) => ({ from, until: until ?? Infinity }))];
  for (const { what, from, until } of witness.disturbances)
    (what === 'leap' ? leaps : faults).push({ from, until: until ?? Infinity });
  const ranBy = (at: number): number =>
    at - leaps.reduce((sum, { from, until }) => sum + Math.max(0, Math.min(at, until) - from), 0);
  const outside = (clock: (at: number) => number): ((from: number, until: number) => number) => {
    const spans = joined(faults.map(({ from, until }) => ({ from: clock(from), until: clock(until) + RECOVERY_MS })));
    return (from, until) => undisturbed(spans, clock(from), clock(until));
  };
  const [wall, ran] = [outside((at) => at), outside(ranBy)];
  return (from, until) => ({ wallMs: wall(from, until), ranMs: ran(from, until) });
}

function undisturbed(spans: readonly Span[], from: number, until: number): number {
  const overlap = (span: Span): number => Math.max(0, Math.min(until, span.until) - Math.max(from, span.from));
  return until - from - spans.reduce((sum, span) => sum + overlap(span), 0);
}

/** In order, and none overlaps another. */
function joined(spans: readonly Span[]): readonly Span[] {
  const apart: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const before = apart.at(-1);
    if (before === undefined || span.from > before.until) apart.push(span);
    else apart[apart.length - 1] = { from: before.from, until: Math.max(before.until, span.until) };
  }
  return apart;
}
