import type { Dice } from '../dice.ts';
import { pictureOf, sha256Of, type PictureType } from './picture-bytes.ts';

/** A picture that a Member gives, and what working on it will be like. */
export interface GivenFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly contentType: PictureType;
  /** Of each conversion. */
  readonly takesMs: number;
  /** No tool can decode it, though it looks like a picture. */
  readonly isBroken: boolean;
  /** So many conversions end the process that they run in. */
  crashes: number;
  /** So many conversions never end by themselves. */
  hangs: number;
}

const MAX_TAKES_MS = 8_000;
const BROKEN_SHARE = 0.06;
const CRASHING_SHARE = 0.06;
const HANGING_SHARE = 0.03;
/** Three deaths park a Post's job; with fewer it goes on by itself. */
const MAX_CRASHES = 3;
const SIZES = [
  [800, 600],
  [3000, 3000],
  [4500, 1500],
] as const;

/** What is wrong with files, as it came about: each failure for a file needs such a cause. */
export interface FileTrouble {
  readonly file: string;
  readonly what: string;
  readonly at: number;
}

/** All files of a world. No two have the same bytes. */
export class GivenFiles {
  readonly #bySha256 = new Map<string, GivenFile>();
  readonly troubles: FileTrouble[] = [];

  /** `withFaults`: it may be one that processes do not survive. */
  make(dice: Dice, withFaults: boolean): GivenFile {
    const name = `file ${this.#bySha256.size + 1}`;
    const contentType = dice.pick(['image/png', 'image/jpeg'] as const);
    const [width, height] = dice.pick(SIZES);
    const [isBroken, crashing, hanging] = [BROKEN_SHARE, CRASHING_SHARE, HANGING_SHARE].map((share) =>
      dice.chance(share),
    );
    const file: GivenFile = {
      ...{ name, contentType, isBroken: isBroken! },
      bytes: pictureOf(contentType, width, height, name),
      takesMs: dice.between(50, MAX_TAKES_MS),
      crashes: withFaults && crashing! ? dice.between(1, MAX_CRASHES + 1) : 0,
      hangs: withFaults && hanging! ? 1 : 0,
    };
    this.#bySha256.set(sha256Of(file.bytes), file);
    return file;
  }

  /** Null: no Member gave such bytes. */
  of(bytes: Uint8Array): GivenFile | null {
    return this.#bySha256.get(sha256Of(bytes)) ?? null;
  }

  named(name: string): GivenFile | null {
    return [...this.#bySha256.values()].find((file) => file.name === name) ?? null;
  }

  note(file: string, what: string, at: number): void {
    this.troubles.push({ file, what, at });
  }
}
