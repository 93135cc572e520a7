import type { OutcomeBody } from '#domain/workspace/events.ts';
import type { PostJson, VariantJson } from '#testing/crier-clients.ts';
import { standingOf } from './recorded-history.ts';

/** What admin shows of a Workspace at the end, and what the test gave it. */
export interface Account {
  readonly given: { readonly plan: string; readonly credits: number };
  readonly plan: string;
  /** The calendar month that Posts are counted in. */
  readonly period: { readonly from: string; readonly to: string };
  readonly used: { readonly postsPerMonth: number };
  readonly xCredits: { readonly available: number; readonly reserved: number };
}

/**
 * Holds a Workspace's Plan, credits and used Posts to the statuses of its Variants. A Variant on x takes a credit when
 * it is queued. Publishing spends it, and any other end gives it back, except where the Network may have taken the
 * Variant in one of its attempts (ADR 0061). Every Post counts once in the month in which it was written.
 */
export function accountTroubles(
  account: Account,
  posts: readonly PostJson[],
  onceUnconfirmed: ReadonlySet<string>,
): readonly string[] {
  const { given, plan, period, used, xCredits } = account;
  const troubles: string[] = [];
  if (plan !== given.plan) troubles.push(`the Plan is ${plan}, and ${given.plan} was given`);
  const written = posts.filter(({ createdAt }) => createdAt >= period.from && createdAt < period.to).length;
  if (used.postsPerMonth !== written)
    troubles.push(`${used.postsPerMonth} Posts are counted, and ${written} are there`);
  const variants = posts.flatMap((post) => post.variants).filter(({ network }) => network === 'x');
  const reserved = variants.filter((variant) => mayStillCost(variant, onceUnconfirmed)).length;
  const spent = variants.filter(({ status }) => status === 'published').length;
  const available = given.credits - reserved - spent;
  if (xCredits.reserved !== reserved || xCredits.available !== available)
    troubles.push(
      `credits: ${xCredits.available} are available and ${xCredits.reserved} reserved; by the statuses of Variants it is ${available} and ${reserved}`,
    );
  return troubles;
}

function mayStillCost(variant: VariantJson, onceUnconfirmed: ReadonlySet<string>): boolean {
  const standing = standingOf(variant);
  if (standing === 'published') return false;
  return ['scheduled', 'publishing', 'unconfirmed'].includes(standing) || onceUnconfirmed.has(variant.id);
}

/** Variants whose attempt ended with an unknown outcome: as events say, each of which reports one end. */
export function unconfirmedIn(events: readonly OutcomeBody[]): ReadonlySet<string> {
  const variants = events
    .map(({ data }) => data.variant)
    .filter(({ failureReason }) => failureReason === 'unconfirmed');
  return new Set(variants.map(({ id }) => id));
}
