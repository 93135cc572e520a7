import { MAX_LEAD_MS } from '#domain/workspace/clock-skew.ts';
import { everyVariant, type Aftermath, type Check, type VariantOf } from '../aftermath.ts';
import { preparedAt } from './prepared-at.ts';
import { clockDelayMs } from './clock-delay.ts';
import { writtenBefore } from './written-before.ts';
import { callsOf } from './failures-have-causes.ts';

/** Nothing fails in these, and nothing is taken over: what waits for their end is all there at once. */
const WAITED_FOR: ReadonlySet<string> = new Set(['outage', 'down', 'leap']);
const CLOCKS: ReadonlySet<string> = new Set(['step-clock', 'leap-scheduler', 'leap-far']);
/** See lateness.ts. */
const RECOVERY_MS = 60_000;
const LEFT_ALONE_MS = 16 * 60_000;

interface Sent extends VariantOf {
  /** While a Network makes ready what one needs, others of its Channel may be sent. */
  readonly begunAt: number;
  /** Its container was asked for more than once: it gave its turn away, and may have begun beside the next one's. */
  readonly waited: boolean;
  readonly sentAt: number;
}

/**
 * What came due for a Channel while nothing ran, or nothing could be reached, is begun in the order it was due in; what
 * is due at one instant, in the order in which it was written, where that is certain.
 */
export const channelsKeepTheirOrder: Check = (after) => {
  const byChannel = Map.groupBy(sentOnce(after), ({ post, variant }) => `${post.workspaceId} ${variant.channelId}`);
  const isWrittenBefore = writtenBefore(after);
  const delayMs = clockDelayMs(after);
  const isBefore = (one: Sent, other: Sent): boolean =>
    one.variant.dueAt === other.variant.dueAt
      ? isWrittenBefore(one.post, other.post)
      : one.variant.dueAt < other.variant.dueAt;
  return [...byChannel.values()].flatMap((sent) => {
    const ordered = sent.toSorted(
      (one, other) => one.variant.dueAt - other.variant.dueAt || (one.post.id < other.post.id ? -1 : 1),
    );
    return ordered.slice(1).flatMap((each, index) => {
      const [sooner, later] = isBefore(each, ordered[index]!) ? [each, ordered[index]!] : [ordered[index]!, each];
      if (!isBefore(sooner, later)) return [];
      // What a clock that is far off sets again for later is not before what comes due in between.
      if (delayMs > 0 && later.variant.dueAt - sooner.variant.dueAt <= delayMs) return [];
      if (sooner.begunAt <= later.begunAt || sooner.sentAt <= later.sentAt || sooner.waited) return [];
      if (isDisturbed(after, sooner, later)) return [];
      const detail = `variant ${sooner.variant.id} was due ${later.variant.dueAt - sooner.variant.dueAt} ms before ${later.variant.id} of its Channel, or written before it, and begun ${sooner.begunAt - later.begunAt} ms after it`;
      const about = [sooner, later].map(({ post }) => post.id.slice(0, -2));
      return [{ check: 'Channels keep their order', detail, about }];
    });
  });
};

/** Scheduled ones at their first attempt, which nothing else may be taken for. */
function sentOnce(after: Aftermath): readonly Sent[] {
  const variants = everyVariant(after);
  const readyAt = preparedAt(after);
  return variants.flatMap((each) => {
    const { post, variant } = each;
    if (readyAt(each) > variant.dueAt) return [];
    if (variant.scheduledAt === null || variant.attempt > 1 || variant.hold !== undefined) return [];
    if (variants.some((other) => other.post !== post && other.post.text === post.text)) return [];
    const calls = callsOf(after, each);
    const sent = calls.find(({ kind }) => kind === 'publish');
    if (sent === undefined) return [];
    const waited = calls.filter(({ kind }) => kind === 'prepare').length > 1;
    return [{ ...each, begunAt: calls[0]!.at, waited, sentAt: sent.at }];
  });
}

/** A process calls the Network of a Channel for its next Variant once the call for the one before it has ended. */
export const channelsMakeOneCallAtATime: Check = (after) => {
  const { disturbances } = after.world.witness;
  const calls = everyVariant(after).flatMap((each) =>
    callsOf(after, each).flatMap((call) => (call.kind === 'publish' ? [{ call, ...each }] : [])),
  );
  const byOwner = Map.groupBy(
    calls,
    ({ call, post, variant }) => `${post.workspaceId} ${variant.channelId} ${call.by}`,
  );
  return [...byOwner.values()].flatMap((made) => {
    const ordered = made.toSorted((one, other) => one.call.at - other.call.at);
    return ordered.slice(1).flatMap((later, index) => {
      const sooner = ordered[index]!;
      const until = sooner.call.endedAt;
      // Its process ended, or several have called for one text.
      if (until === null || later.call.at >= until || later.call === sooner.call) return [];
      // A partition that was lost, and came back, may have two of them under way.
      if (disturbances.some(({ what, ...each }) => !WAITED_FOR.has(what) && isWithin(each, 0, later.call.at)))
        return [];
      const detail = `variant ${later.variant.id} was sent ${until - later.call.at} ms before the call for ${sooner.variant.id} of its Channel had ended`;
      const about = [sooner, later].map(({ post }) => post.id.slice(0, -2));
      return [{ check: 'Channels make one call at a time', detail, about }];
    });
  });
};

interface Span {
  readonly from: number;
  readonly until: number | null;
}

/** Whether it had its effects at some instant of these. */
function isWithin({ from, until }: Span, first: number, last: number): boolean {
  return from <= last && (until === null || until + RECOVERY_MS >= first);
}

function isDisturbed({ world }: Aftermath, sooner: Sent, later: Sent): boolean {
  const { disturbances, answers, holds } = world.witness;
  const [from, until] = [sooner.variant.dueAt, sooner.sentAt];
  const isThen = (each: Span): boolean => isWithin(each, from, until);
  // A timer that a leading clock fired too early is set again for later, by as much as that clock led.
  const mayBeSetAgain = ({ what, ...span }: (typeof disturbances)[number]): boolean =>
    CLOCKS.has(what) && isWithin(span, from - MAX_LEAD_MS, until);
  return (
    later.sentAt < later.variant.dueAt ||
    disturbances.some((each) => !WAITED_FOR.has(each.what) && (isThen(each) || mayBeSetAgain(each))) ||
    holds.some(isThen) ||
    answers.some(
      ({ network, isBad, at }) =>
        isBad && network === sooner.variant.network && at >= from - LEFT_ALONE_MS && at <= until,
    )
  );
}
