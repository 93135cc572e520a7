import { findAddresses } from './addresses-in-text.ts';

export interface ShownUrl {
  /** Offsets in code points of the text as X returns it; `end` exclusive. */
  readonly start: number;
  readonly end: number;
  readonly url: string;
  readonly expanded_url: string;
  readonly display_url: string;
}

export interface ShownText {
  readonly text: string;
  readonly urls: readonly ShownUrl[];
}

const SHOWN_LENGTH = 26;

const escape = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const codePoints = (text: string) => [...text].length;

function displayUrl(url: string): string {
  const bare = url.replace(/^https?:\/\/(?:www\.)?/i, '');
  return bare.length > SHOWN_LENGTH ? `${bare.slice(0, SHOWN_LENGTH)}…` : bare;
}

/** A short address derived from the post's own id: the same on every read. */
function shortUrl(postId: string, index: number): string {
  return `https://t.co/${(BigInt(postId) * 100n + BigInt(index)).toString(36).slice(-10)}`;
}

/**
 * A post's text as X returns it: addresses shortened, `&`, `<` and `>` escaped; then the address of its media, where it
 * shows any.
 */
export function shownText(raw: string, postId: string, hasMedia = false): ShownText {
  let text = '';
  let length = 0;
  let from = 0;
  const urls: ShownUrl[] = [];
  const append = (piece: string) => {
    text += piece;
    length += codePoints(piece);
  };
  for (const { start, end, url } of findAddresses(raw)) {
    append(escape(raw.slice(from, start)));
    const short = shortUrl(postId, urls.length);
    const expanded = /^https?:\/\//i.test(url) ? url : `http://${url}`;
    urls.push({
      start: length,
      end: length + codePoints(short),
      url: short,
      expanded_url: expanded,
      display_url: displayUrl(url),
    });
    append(short);
    from = end;
  }
  append(escape(raw.slice(from)));
  if (hasMedia) {
    if (text !== '') append(' ');
    const short = shortUrl(postId, urls.length);
    urls.push({
      start: length,
      end: length + codePoints(short),
      url: short,
      expanded_url: `https://x.com/i/status/${postId}/photo/1`,
      display_url: `pic.x.com/${short.slice(-10)}`,
    });
    append(short);
  }
  return { text, urls };
}
