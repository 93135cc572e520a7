import { everyVariant, type Aftermath, type Check, type VariantOf } from '../aftermath.ts';
import { callsOf } from './failures-have-causes.ts';

/** Nothing fails in these, and nothing is taken over: what waits for their end is all there at once. */
const WAITED_FOR: ReadonlySet<string> = new Set(['outage', 'down', 'leap']);
/** See lateness.ts. */
const RECOVERY_MS = 60_000;
const LEFT_ALONE_MS = 16 * 60_000;

interface Sent extends VariantOf {
  /** While a Network makes ready what one needs, others of its Channel may be sent. */
  readonly begunAt: number;
  readonly sentAt: number;
}

/** What came due for a Channel while nothing ran, or nothing could be reached, is begun in the order it was due in. */
export const channelsKeepTheirOrder: Check = (after) => {
  const byChannel = Map.groupBy(sentOnce(after), ({ post, variant }) => `${post.workspaceId} ${variant.channelId}`);
  return [...byChannel.values()].flatMap((sent) => {
    const ordered = sent.toSorted((one, other) => one.variant.dueAt - other.variant.dueAt);
    return ordered.slice(1).flatMap((later, index) => {
      const sooner = ordered[index]!;
      if (sooner.variant.dueAt === later.variant.dueAt) return [];
      if (sooner.begunAt <= later.begunAt || sooner.sentAt <= later.sentAt) return [];
      if (isDisturbed(after, sooner, later)) return [];
      const detail = `variant ${sooner.variant.id} was due ${later.variant.dueAt - sooner.variant.dueAt} ms before ${later.variant.id} of its Channel, and begun ${sooner.begunAt - later.begunAt} ms after it`;
      const about = [sooner, later].map(({ post }) => post.id.slice(0, -2));
      return [{ check: 'Channels keep their order', detail, about }];
    });
  });
};

/** Scheduled ones at their first attempt, which nothing else may be taken for. */
function sentOnce(after: Aftermath): readonly Sent[] {
  const variants = everyVariant(after);
  return variants.flatMap((each) => {
    const { post, variant } = each;
    if (variant.scheduledAt === null || variant.attempt > 1 || variant.hold !== undefined) return [];
    if (variants.some((other) => other.post !== post && other.post.text === post.text)) return [];
    const calls = callsOf(after, each);
    const sent = calls.find(({ kind }) => kind === 'publish');
    return sent === undefined ? [] : [{ ...each, begunAt: calls[0]!.at, sentAt: sent.at }];
  });
}

function isDisturbed({ world }: Aftermath, sooner: Sent, later: Sent): boolean {
  const { disturbances, answers, holds } = world.witness;
  const [from, until] = [sooner.variant.dueAt, sooner.sentAt];
  const isThen = (each: { readonly from: number; readonly until: number | null }): boolean =>
    each.from <= until && (each.until === null || each.until + RECOVERY_MS >= from);
  return (
    later.sentAt < later.variant.dueAt ||
    disturbances.some((each) => !WAITED_FOR.has(each.what) && isThen(each)) ||
    holds.some(isThen) ||
    answers.some(
      ({ network, isBad, at }) =>
        isBad && network === sooner.variant.network && at >= from - LEFT_ALONE_MS && at <= until,
    )
  );
}
