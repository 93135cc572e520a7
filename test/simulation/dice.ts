import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createSeededIds } from '#adapters/memory/ids.ts';

/** Draws that a seed decides. */
export class Dice {
  readonly random: () => number;

  constructor(seed: number) {
    this.random = createSeededIds(seed).random;
  }

  /** Dice of their own for a part of the run: what is drawn elsewhere, more or less of it, does not change them. */
  static of(seed: number, part: string): Dice {
    return new Dice(createHash('sha256').update(`${seed} ${part}`).digest().readUIntBE(0, 6));
  }

  chance(probability: number): boolean {
    return probability > 0 && this.random() < probability;
  }

  /** A whole number in [from, to). */
  between(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from));
  }

  pick<T>(items: readonly T[]): T {
    assert(items.length > 0, 'nothing to pick from');
    return items[this.between(0, items.length)]!;
  }

  /** One of the names, each as often in relation to the others as it says. */
  choose<N extends string>(frequencies: Readonly<Partial<Record<N, number>>>): N {
    const all = Object.entries(frequencies) as [N, number][];
    assert(all.length > 0, 'nothing to choose from');
    let left = this.random() * all.reduce((sum, [, frequency]) => sum + frequency, 0);
    return (all.find(([, frequency]) => (left -= frequency) < 0) ?? all.at(-1)!)[0];
  }
}
