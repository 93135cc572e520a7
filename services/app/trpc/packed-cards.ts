import type { Pause } from '#concurrency/time-slice.ts';
import type { CardBody, CardPage, CardVariantBody } from '#use-cases/list-calendar.ts';

/** Where a Variant goes. */
type Destination = Pick<CardVariantBody, 'channelId' | 'network' | 'placement'>;

/**
 * A week of an agency has 2,000 Posts that go to a dozen Channels and were made by two keys: what repeats travels once,
 * and Posts name it by its place in the list.
 */
export interface PackedCards {
  readonly vias: readonly NonNullable<CardBody['via']>[];
  readonly destinations: readonly Destination[];
  readonly cards: readonly PackedCard[];
  readonly isCut: boolean;
}

/** `via` is its place in `vias`, -1 by hand. */
export type PackedCard = readonly [
  id: string,
  at: string,
  words: string,
  via: number,
  thumbnail: string | null,
  files: number,
  variants: readonly PackedVariant[],
];

/** Ids of Variants are those of their Posts but for the number at their end. */
export type PackedVariant = readonly [
  idEnd: string,
  destination: number,
  status: CardVariantBody['status'],
  failureReason: CardVariantBody['failureReason'],
];

/** Digits of a Variant's number at the end of its id; the rest is its Post's. */
const NUMBER_DIGITS = 2;

/** Pauses now and then: a card of a hundred Channels takes a part of a millisecond. */
export async function packCards({ cards, isCut }: CardPage, pause: Pause): Promise<PackedCards> {
  const vias = new Places<NonNullable<CardBody['via']>>();
  const destinations = new Places<Destination>();
  const packed: PackedCard[] = [];
  for (const { id, at, words, via, thumbnail, files, variants } of cards) {
    await pause();
    const itsVia = via === null ? -1 : vias.placeOf(JSON.stringify([via.kind, via.by, via.name]), via);
    const itsVariants = variants.map(({ id: variantId, channelId, network, placement, status, failureReason }) => {
      const place = destinations.placeOf(`${channelId} ${placement}`, { channelId, network, placement });
      return [variantId.slice(-NUMBER_DIGITS), place, status, failureReason] as const;
    });
    packed.push([id, at, words, itsVia, thumbnail, files, itsVariants]);
  }
  return { vias: vias.all, destinations: destinations.all, cards: packed, isCut };
}

/** Things in the order in which they were first met. */
class Places<Thing> {
  readonly all: Thing[] = [];
  readonly #places = new Map<string, number>();

  /** `key`: the same for equal things only. */
  placeOf(key: string, thing: Thing): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.all.length);
    return this.all.push(thing) - 1;
  }
}
