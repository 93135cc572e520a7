import { createDomainReader, DIRECTIONAL, PATH_LETTERS, plainDomains } from './domains-in-text.ts';
import { encodedLength } from './punycode-length.ts';

/** An address that X replaces by a short one. Offsets are UTF-16 code units, `end` exclusive. */
export interface AddressInText {
  readonly start: number;
  readonly end: number;
  readonly url: string;
}

const MAX_URL = 4_096;
const MAX_LABEL = 63;
const MAX_SHORT_SLUG = 40;
/** The scheme of an address that names none. */
const DEFAULT_SCHEME = 'https://';

/** What may stand before an address: nothing that would make it part of an e-mail address, a mention or a word. */
const BEFORE = new RegExp(`[^A-Za-z0-9@＠$#＃\\uFFFE\\uFEFF\\uFFFF]|[${DIRECTIONAL}]`);
const SCHEME = /https?:\/\//iy;
const PORT = /:[0-9]+/y;
const PATH_CHARACTER = new RegExp(`[${PATH_LETTERS}!*';:=+,.$/%#[\\]\\u2013_~@|&-]`, 'i');
const PATH_END = new RegExp(`[${PATH_LETTERS}+=_#/-]`, 'i');
const QUERY_CHARACTER = /[a-z0-9!?*'@();:&=+$/%#[\]_.,~|-]/i;
const QUERY_END = /[a-z0-9_&=#/-]/i;
const SHORT = /^https?:\/\/t\.co\/([a-z0-9]+)/i;

function skipPathCharacters(text: string, at: number): number {
  let end = at;
  while (end < text.length && PATH_CHARACTER.test(text[end]!)) end += 1;
  return end;
}

/** The end of brackets that open at `at` and close again, with at most one pair inside; null: they do not. */
function bracketsEnd(text: string, at: number, depth = 0): number | null {
  const inside = skipPathCharacters(text, at + 1);
  if (text[inside] === ')') return inside > at + 1 ? inside + 1 : null;
  if (text[inside] !== '(' || depth > 0) return null;
  const inner = bracketsEnd(text, inside, depth + 1);
  const end = inner === null ? null : skipPathCharacters(text, inner);
  return end !== null && text[end] === ')' ? end + 1 : null;
}

/** The end of the path at `at`: the last place where it can end, since punctuation after it belongs to the sentence. */
function pathEnd(text: string, at: number): number {
  if (text[at] !== '/') return at;
  let end = at + 1;
  for (let here = end; here < text.length;) {
    if (text[here] === '(') {
      const closed = bracketsEnd(text, here);
      if (closed === null) break;
      // Brackets end a path only right after what could have ended it.
      if (end === here) end = closed;
      here = closed;
    } else {
      if (!PATH_CHARACTER.test(text[here]!)) break;
      here += 1;
      if (PATH_END.test(text[here - 1]!)) end = here;
    }
  }
  return end;
}

function queryEnd(text: string, at: number): number {
  if (text[at] !== '?') return at;
  let end = at;
  for (let here = at + 1; here < text.length && QUERY_CHARACTER.test(text[here]!); here++)
    if (QUERY_END.test(text[here]!)) end = here + 1;
  return end;
}

/** The end of what `pattern` matches at `at`, or `at` itself. */
function skip(text: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

interface Candidate {
  readonly start: number;
  readonly domainStart: number;
  readonly domainEnd: number;
  readonly pathStart: number;
  readonly pathEnd: number;
  readonly end: number;
}

function candidateAt(text: string, start: number, domainEndOf: (at: number) => number | null): Candidate | null {
  const domainStart = skip(text, SCHEME, start);
  const domainEnd = domainEndOf(domainStart);
  if (domainEnd === null) return null;
  const pathStart = skip(text, PORT, domainEnd);
  const ofPath = pathEnd(text, pathStart);
  return { start, domainStart, domainEnd, pathStart, pathEnd: ofPath, end: queryEnd(text, ofPath) };
}

function isValid(text: string, { start, domainStart, domainEnd, end }: Candidate): boolean {
  const scheme = text.slice(start, domainStart) || DEFAULT_SCHEME;
  if (scheme.length + end - start > MAX_URL) return false;
  const domain = text.slice(domainStart, domainEnd);
  const labels = domain.split('.');
  if (!labels.every((label) => label.length <= MAX_LABEL && encodedLength(label) <= MAX_LABEL)) return false;
  return !domain.startsWith('xn--') || plainDomains(domain).length > 0;
}

/** With a scheme the address is one; of X's own short addresses only what X itself gives out counts. */
function withScheme(text: string, { start, end }: Candidate): readonly AddressInText[] {
  const url = text.slice(start, end);
  const short = SHORT.exec(url);
  if (short === null) return [{ start, end, url }];
  if (short[1]!.length > MAX_SHORT_SLUG) return [];
  const kept = queryEnd(url, short[0].length);
  return [{ start, end: start + kept, url: url.slice(0, kept) }];
}

/** Without a scheme its plain domains are addresses, the last one with the path. */
function withoutScheme(text: string, candidate: Candidate): readonly AddressInText[] {
  const { start, domainStart, domainEnd } = candidate;
  if (start > 0 && '-_./'.includes(text[start - 1]!)) return [];
  const domains = plainDomains(text.slice(domainStart, domainEnd));
  return domains.map((range, index) => {
    const from = domainStart + range.start;
    const hasPath = index === domains.length - 1 && candidate.pathEnd > candidate.pathStart;
    const ownEnd = domainStart + range.end;
    const url = text.slice(from, ownEnd) + (hasPath ? text.slice(domainEnd, candidate.end) : '');
    return { start: from, end: from + url.length, url };
  });
}

/**
 * The addresses in a text as twitter-text finds them, in order, never overlapping: with a scheme or without, below a
 * known top-level domain.
 */
export function findAddresses(text: string): readonly AddressInText[] {
  if (!text.includes('.')) return [];
  const reader = createDomainReader(text);
  const afterScheme = createDomainReader(text);
  const domainEndOf = (start: number) => (at: number) => (at > start ? afterScheme : reader).endOf(at);
  const found: AddressInText[] = [];
  // twitter-text takes the character before an address first, and the text's beginning in its place only if it must.
  const second = BEFORE.test(text[0]!) ? candidateAt(text, 1, createDomainReader(text).endOf) : null;
  for (let start = 0; start < text.length; start++) {
    if (start > 0 && !BEFORE.test(text[start - 1]!)) continue;
    const candidate = (start === 0 ? second : null) ?? candidateAt(text, start, domainEndOf(start));
    if (candidate === null) continue;
    if (isValid(text, candidate))
      found.push(...(candidate.domainStart > candidate.start ? withScheme : withoutScheme)(text, candidate));
    start = candidate.end;
  }
  return found;
}
