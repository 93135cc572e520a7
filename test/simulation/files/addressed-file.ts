import type { Dice } from '../dice.ts';
import { answering, type Site, type WebAnswer, type WebRequest } from '../web/public-web.ts';
import type { GivenFile, GivenFiles } from './given-files.ts';
import { pictureOf } from './picture-bytes.ts';

/**
 * What an address does once its file was looked at: serves it; serves it slowly; is not there, or breaks off, for a
 * while; or has something else from then on.
 */
const HABITS = [
  'steady',
  'steady',
  'steady',
  'slow',
  'away',
  'silent',
  'breaking off',
  'changed',
  'grown',
  'gone',
] as const;
export type Habit = (typeof HABITS)[number];

const PIECES = 4;
const MAX_PIECE_AFTER_MS = 6_000;
/** The media service asks again for twelve minutes. */
const MAX_AWAY_MS = 8 * 60_000;
/** For good, as far as anybody will ask. */
const LONG_AWAY_SHARE = 0.2;
const LONG_AWAY_MS = 3 * 3_600_000;

export function drawHabit(dice: Dice): Habit {
  return dice.pick(HABITS);
}

/** A file of a Member that stands at an address. */
export class AddressedFile implements Site {
  readonly file: GivenFile;
  readonly #files: GivenFiles;
  readonly #habit: Habit;
  readonly #forMs: number;
  readonly #pieceAfterMs: number;
  #firstFetchedAt: number | null = null;

  constructor(file: GivenFile, files: GivenFiles, habit: Habit, dice: Dice) {
    this.file = file;
    this.#files = files;
    this.#habit = habit;
    this.#forMs = dice.chance(LONG_AWAY_SHARE) ? LONG_AWAY_MS : dice.between(1_000, MAX_AWAY_MS);
    this.#pieceAfterMs = habit === 'slow' ? dice.between(500, MAX_PIECE_AFTER_MS) : 0;
  }

  answer({ method, at }: WebRequest): WebAnswer {
    const { bytes, contentType, name } = this.file;
    const headers = { 'content-type': contentType, 'content-length': String(bytes.length) };
    if (method === 'HEAD') return answering(200, headers);
    this.#firstFetchedAt ??= at;
    const isAway = at - this.#firstFetchedAt < this.#forMs;
    const trouble = (answer: WebAnswer): WebAnswer => {
      this.#files.note(name, this.#habit, at);
      return answer;
    };
    switch (this.#habit) {
      case 'away':
        return isAway ? trouble(answering(503)) : this.#serve(headers);
      case 'silent':
        return isAway ? trouble({ kind: 'silent' }) : this.#serve(headers);
      case 'breaking off':
        return isAway ? trouble({ ...this.#serve(headers, 1), breaksOff: true }) : this.#serve(headers);
      case 'changed':
        return trouble(answering(200, { 'content-type': 'text/html' }, '<p>Sold</p>'));
      case 'grown': {
        const grown = pictureOf(contentType, 10, 10, 'x'.repeat(bytes.length));
        return trouble({ ...this.#serve({ 'content-type': contentType }), pieces: [grown] });
      }
      case 'gone':
        return trouble(answering(404));
      default:
        return this.#serve(headers);
    }
  }

  #serve(headers: Readonly<Record<string, string>>, pieces = PIECES): Extract<WebAnswer, { readonly kind: 'answer' }> {
    const { bytes } = this.file;
    const each = Math.ceil(bytes.length / PIECES);
    return {
      ...{ kind: 'answer', status: 200, headers, pieceAfterMs: this.#pieceAfterMs, breaksOff: false },
      pieces: Array.from({ length: pieces }, (_, index) => bytes.subarray(index * each, (index + 1) * each)),
    };
  }
}
