/**
 * What a release says of the data that it reads and writes. One number, the **format**, counts the forms of rows, heads
 * and messages; the schema version beside it (repositories/installation.ts) counts tables and topics, and only says
 * what must exist.
 *
 * A hundred formats are a **generation**. Within it a format only adds: fields that a reader of an earlier format
 * passes over, and keeps when it writes the row back. So every release reads all formats of its generation and of those
 * before it, also those that a later release writes. What an earlier reader would get wrong begins a new generation.
 */
export interface Release {
  /** The newest format that it writes, once every process of the installation can read it. */
  readonly format: number;
  /** The oldest format that it still writes: the newest one of the release before it. */
  readonly writesFrom: number;
}

export const RELEASE: Release = { format: 100, writesFrom: 1 };

/** From this on periods may have several buckets (buckets.ts): readers of earlier formats look in the first only. */
export const BUCKETS_FORMAT = 100;

const FORMATS_A_GENERATION = 100;

export function generationOf(format: number): number {
  return Math.floor(format / FORMATS_A_GENERATION);
}

/** Whether a release reads rows and messages of this format. */
export function isReadable(format: number, release: Release = RELEASE): boolean {
  return generationOf(format) <= generationOf(release.format);
}

/** The newest format that a release reads, whoever writes it. */
export function readsUpTo(release: Release = RELEASE): number {
  return (generationOf(release.format) + 1) * FORMATS_A_GENERATION - 1;
}

/**
 * The format that may be written now, as this process last learnt it. Until then it is the oldest that the release
 * writes: a format that is too low is read by everybody, one that is too high by some.
 */
export class WrittenFormat {
  readonly #release: Release;
  #format: number;

  constructor(release: Release = RELEASE) {
    this.#release = release;
    this.#format = release.writesFrom;
  }

  now(): number {
    return this.#format;
  }

  /** The installation's format; a release writes no other than its own, whatever that is. */
  learn(format: number): void {
    this.#format = Math.max(this.#release.writesFrom, Math.min(format, this.#release.format));
  }
}
