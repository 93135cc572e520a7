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
      its = new LazyCard(card, clock);
      placed.set(card, its);
    }
    return its;
  };
}

/** Of thousands of Posts a hundred are drawn: what only drawing needs is made then, once. */
class LazyCard implements PlacedCard {
  readonly card: ShownCard;
  readonly at: number;
  readonly wall: ShownTime;
  #drawn: DrawnFacts | null = null;

  constructor(card: ShownCard, clock: ZoneClock) {
    this.card = card;
    this.at = Date.parse(card.at);
    this.wall = clock.wallTimeOf(this.at);
  }

  get time(): string {
    return this.#facts.time;
  }

  get status(): ShownStatus {
    return this.#facts.status;
  }

  get statusWords(): string {
    return this.#facts.statusWords;
  }

  get networks(): PlacedCard['networks'] {
    return this.#facts.networks;
  }

  get words(): string {
    return this.#facts.words;
  }

  get #facts(): DrawnFacts {
    this.#drawn ??= drawnFacts(this.card, this.wall);
    return this.#drawn;
  }
}

type DrawnFacts = Pick<PlacedCard, 'time' | 'status' | 'statusWords' | 'networks' | 'words'>;

function drawnFacts(card: ShownCard, wall: ShownTime): DrawnFacts {
  const { status, words: statusWords } = statusOf(card);
  return {
    time: clockText(wall.minutes),
    status,
    statusWords,
    networks: [...new Set(card.variants.map(({ network }) => network))],
    words: card.words.trim() === '' ? wordlessName(card) : card.words,
  };
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
