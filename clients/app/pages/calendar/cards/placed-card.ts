import { shownStatusOf, statusWord, type ShownStatus } from '../../../parts/status-mark.tsx';
import { clockText } from '../time/time-texts.ts';
import type { ShownTime, ZoneClock } from '../time/zone-clock.ts';
import type { ShownCard } from './calendar-card.ts';

/** A Post at its place in a zone. */
export interface PlacedCard {
  readonly card: ShownCard;
  readonly at: number;
  readonly wall: ShownTime;
  readonly time: string;
  /** Of the whole Post: the worst that became of a Variant. */
  readonly status: ShownStatus;
  /** "Scheduled", or "2 of 6 failed" where Variants differ. */
  readonly statusWords: string;
  readonly networks: readonly ShownCard['variants'][number]['network'][];
  /** Its first words; where it has none, what it is. */
  readonly words: string;
}

/** What needs a person comes first, what is over last. */
const WORST_FIRST: readonly ShownStatus[] = [
  'failed',
  'unconfirmed',
  'publishing',
  'scheduled',
  'published',
  'cancelled',
  'draft',
];

/** Places cards, each once: the same card gives the same object, so that what shows it is not drawn again. */
export function cardPlacer(clock: ZoneClock): (card: ShownCard) => PlacedCard {
  const placed = new WeakMap<ShownCard, PlacedCard>();
  return (card) => {
    let its = placed.get(card);
    if (its === undefined) {
      its = place(card, clock);
      placed.set(card, its);
    }
    return its;
  };
}

function place(card: ShownCard, clock: ZoneClock): PlacedCard {
  const at = Date.parse(card.at);
  const wall = clock.wallTimeOf(at);
  const time = clockText(wall.minutes);
  const networks = [...new Set(card.variants.map(({ network }) => network))];
  const { status, words: statusWords } = statusOf(card);
  const words = card.words.trim() === '' ? wordlessName(card) : card.words;
  return { card, at, wall, time, status, statusWords, networks, words };
}

function wordlessName({ files }: ShownCard): string {
  return files === 0 ? 'Post without text' : files === 1 ? 'A file without text' : `${files} files without text`;
}

function statusOf({ variants }: ShownCard): { readonly status: ShownStatus; readonly words: string } {
  const statuses = variants.map(shownStatusOf);
  const status = WORST_FIRST.find((one) => statuses.includes(one)) ?? 'draft';
  const count = statuses.filter((one) => one === status).length;
  const word = statusWord(status);
  return {
    status,
    words:
      count === statuses.length || statuses.length === 0
        ? word
        : `${count} of ${statuses.length} ${word.toLowerCase()}`,
  };
}

/** Whether a Post still waits as a whole: only then can it be cancelled and created again at another time. */
export function canMove({ card, at }: PlacedCard, now: number): boolean {
  return at > now && card.variants.length > 0 && card.variants.every(({ status }) => status === 'scheduled');
}
