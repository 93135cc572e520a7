import { asciiLength, MAX_LABEL_LENGTH } from './punycode.ts';
import { ASCII_TOP_LEVEL_DOMAINS, OTHER_TOP_LEVEL_DOMAINS } from './top-level-domains.ts';

/** A link as X finds it in a text: UTF-16 offsets, end exclusive. */
export interface Link {
  readonly start: number;
  readonly end: number;
  readonly hasScheme: boolean;
}

const LATIN =
  '\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u024F\\u0253\\u0254\\u0256\\u0257\\u0259\\u025B\\u0263\\u0268\\u026F\\u0272\\u0289\\u028B\\u02BB\\u0300-\\u036F\\u1E00-\\u1EFF';
const CYRILLIC = '\\u0400-\\u04FF';
const NOT_IN_DOMAIN =
  "!'#%&()*+,\\\\\\-./:;<=>?@\\[\\]^_{|}~$\\s\\u0085\\u180E\\uFFFE\\uFEFF\\uFFFF\\u202A-\\u202E\\u061C\\u200E\\u200F\\u2066-\\u2069";
/**
 * Labels are bounded, as DNS bounds them, which also bounds the work on hostile text. The last one may go on behind the
 * top-level domain that it begins with.
 */
const LAST_LABEL = `[^${NOT_IN_DOMAIN}](?:[^${NOT_IN_DOMAIN}]|[-_]){0,62}`;
const LABEL = `[^${NOT_IN_DOMAIN}](?:(?:[^${NOT_IN_DOMAIN}]|[-_]){0,61}[^${NOT_IN_DOMAIN}])?`;
const PATH = `a-z${CYRILLIC}0-9!*';:=+,.$/%#\\[\\]\\-\\u2013_~@|&${LATIN}`;

const SCHEME = /https?:\/\//giu;
const DOMAIN = new RegExp(`(?:${LABEL}\\.){1,10}${LAST_LABEL}`, 'iuy');
const BARE_DOMAIN = new RegExp(
  `(?<![A-Za-z0-9@＠$#＃_\\-./\\uFFFE\\uFEFF\\uFFFF${LATIN}])(?:[a-z0-9${LATIN}](?:[-a-z0-9${LATIN}]{0,61}[a-z0-9${LATIN}])?\\.){1,10}${LAST_LABEL}`,
  'giu',
);
const NOT_BEFORE_SCHEME = /[A-Za-z0-9@＠$#＃\uFFFE\uFEFF\uFFFF]/u;
const PORT = /:[0-9]+/y;
const PATH_RUN = new RegExp(`/(?:[${PATH}]|\\((?:[${PATH}]|\\([${PATH}]*\\))*\\))*`, 'iuy');
const PATH_END = new RegExp(`[+\\-a-z${CYRILLIC}0-9=_#/${LATIN})]`, 'iu');
const SHORT_LINK_CODE = /\/[a-z0-9]+/iy;
const MAX_SHORT_LINK_CODE = 40;
const QUERY_RUN = /\?[a-z0-9!?*'@();:&=+$/%#[\]\-_.,~|]*/iy;
const QUERY_END = /[a-z0-9\-_&=#/?]/i;
/** A longer one is none. */
export const MAX_LINK_LENGTH = 4096;

/**
 * The links of a text in order: what X shortens, and counts as 23. It finds what twitter-text 3.1.0 finds in the whole
 * of X's own conformance set (see conformance.json). The package itself is not used: its expressions take
 * time with the square of a text's length, such as 25 seconds for 100,000 characters of `a.a.a.`.
 */
export function linksOf(text: string): readonly Link[] {
  if (!text.includes('.')) return [];
  const found: Link[] = [];
  SCHEME.lastIndex = 0;
  for (let match = SCHEME.exec(text); match !== null; match = SCHEME.exec(text)) {
    if (match.index > 0 && NOT_BEFORE_SCHEME.test(text[match.index - 1] ?? '')) continue;
    const from = match.index + match[0].length;
    const domain = runAt(DOMAIN, text, from);
    const length = domainLength(domain, text[from + domain.length]);
    if (length === 0) continue;
    const afterDomain = from + length;
    // X's own short links are a code and a query, whatever follows.
    const code = domain.toLowerCase() === 't.co' ? runAt(SHORT_LINK_CODE, text, afterDomain).slice(1) : '';
    const end = code === '' ? endOf(text, afterDomain) : endOfQuery(text, afterDomain + 1 + code.length);
    if (code.length <= MAX_SHORT_LINK_CODE) add(found, { start: match.index, end, hasScheme: true });
    // What a link holds is a part of it: looked for again from each scheme inside, its end would be found as often as
    // it has schemes.
    SCHEME.lastIndex = end;
  }
  BARE_DOMAIN.lastIndex = 0;
  for (let match = BARE_DOMAIN.exec(text); match !== null; match = BARE_DOMAIN.exec(text)) {
    const length = domainLength(match[0], text[match.index + match[0].length]);
    if (length === 0) continue;
    const afterDomain = match.index + length;
    const end = endOf(text, afterDomain);
    // Without a scheme, a query counts only behind a path.
    const hasPath = text[afterDomain + runAt(PORT, text, afterDomain).length] === '/';
    add(found, { start: match.index, end: hasPath ? end : afterDomain, hasScheme: false });
    BARE_DOMAIN.lastIndex = end;
  }
  const links: Link[] = [];
  // Of two that overlap the earlier one counts; at one start, the one with a scheme.
  for (const link of found.sort((a, b) => a.start - b.start)) {
    if (link.start >= (links.at(-1)?.end ?? 0)) links.push(link);
  }
  return links;
}

/** With a scheme, so that a text and what X shows of it can be compared. */
export function withSchemes(text: string): string {
  let out = '';
  let from = 0;
  for (const link of linksOf(text)) {
    out += text.slice(from, link.start) + (link.hasScheme ? '' : 'http://');
    from = link.start;
  }
  return out + text.slice(from);
}

function add(links: Link[], link: Link): void {
  if (link.end - link.start <= MAX_LINK_LENGTH) links.push(link);
}

function runAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = 0;
  // No further than a link may reach: who goes on behind one that is too long would else read the rest of the text
  // again each time.
  return pattern.exec(text.slice(at, at + MAX_LINK_LENGTH + 1))?.[0] ?? '';
}

/**
 * How much of a dotted run is a domain: up to its last label that begins with a top-level domain, behind one without an
 * underscore. 0: none, or one that DNS can not have. `next`: the character behind it.
 */
function domainLength(run: string, next: string | undefined): number {
  for (let dot = run.lastIndexOf('.'); dot > 0; dot = run.lastIndexOf('.', dot - 1)) {
    const rest = run.slice(dot + 1);
    const topLevel = topLevelAt(rest);
    const hasName = !run.slice(run.lastIndexOf('.', dot - 1) + 1, dot).includes('_');
    if (topLevel !== null && hasName) {
      const follows = rest[topLevel.length] ?? next;
      const length = dot + 1 + topLevel.length;
      if (follows === undefined || !/[0-9a-zA-Z@+-]/.test(follows)) return isInDns(run.slice(0, length)) ? length : 0;
    }
  }
  return 0;
}

const ENCODED = 'xn--';
const ASCII_DOMAIN = new RegExp(`(?:[-a-z0-9${LATIN}]+\\.)+`, 'iu');

function isInDns(domain: string): boolean {
  if (domain.startsWith(ENCODED) && !ASCII_DOMAIN.test(domain)) return false;
  return domain.split('.').every((label) => asciiLength(label) <= MAX_LABEL_LENGTH);
}

function topLevelAt(label: string): string | null {
  const ascii = /^[0-9a-z-]+/i.exec(label)?.[0] ?? '';
  if (ASCII_TOP_LEVEL_DOMAINS.has(ascii.toLowerCase()) || /^xn--[-0-9a-z]+$/i.test(ascii)) return ascii;
  return OTHER_TOP_LEVEL_DOMAINS.find((name) => label.startsWith(name)) ?? null;
}

/**
 * Where a link ends whose domain ends at `at`: behind port, path and query, without the punctuation that ends a
 * sentence.
 */
function endOf(text: string, at: number): number {
  let end = at + runAt(PORT, text, at).length;
  end += trimmed(runAt(PATH_RUN, text, end), PATH_END);
  return endOfQuery(text, end);
}

function endOfQuery(text: string, at: number): number {
  const query = trimmed(runAt(QUERY_RUN, text, at), QUERY_END);
  return query > 1 ? at + query : at;
}

function trimmed(run: string, ending: RegExp): number {
  let length = run.length;
  while (length > 0 && !ending.test(run[length - 1] ?? '')) length -= 1;
  return length;
}
