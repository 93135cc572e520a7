import type { ShownTime } from '../time/zone-clock.ts';
import type { PlacedCard } from './placed-card.ts';

/** The name of an hour of a day: `2026-10-25T02`, and `2026-10-25T02b` for the second time. */
export function hourKey({ date, minutes, isSecond }: ShownTime): string {
  return `${date}T${String(Math.floor(minutes / 60)).padStart(2, '0')}${isSecond ? 'b' : ''}`;
}

export type CardGroups = ReadonlyMap<string, readonly PlacedCard[]>;

/**
 * Posts by hour or by day, each group in order of time. A group whose Posts are those of `before` is the same array, so
 * that the cells that show it are not drawn again.
 */
export function groupCards(
  cards: readonly PlacedCard[],
  keyOf: (wall: ShownTime) => string,
  before: CardGroups = new Map(),
): CardGroups {
  const groups = new Map<string, PlacedCard[]>();
  for (const card of cards) {
    const key = keyOf(card.wall);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [card]);
    else group.push(card);
  }
  const kept = new Map<string, readonly PlacedCard[]>();
  for (const [key, group] of groups) {
    group.sort((one, other) => one.at - other.at || (one.card.id < other.card.id ? -1 : 1));
    const old = before.get(key);
    kept.set(key, old !== undefined && isSame(old, group) ? old : group);
  }
  return kept;
}

function isSame(one: readonly PlacedCard[], other: readonly PlacedCard[]): boolean {
  return one.length === other.length && one.every((card, index) => card === other[index]);
}
