import { COUNTRY_DOMAINS, GENERIC_DOMAINS } from './top-level-domains.ts';

/** An address that X replaces by a short one. Offsets are UTF-16 code units, `end` exclusive. */
export interface AddressInText {
  readonly start: number;
  readonly end: number;
  readonly url: string;
}

const MAX_URL = 4096;

const LETTER = '\\p{L}\\p{M}\\p{Nd}';
const LABEL = `[${LETTER}](?:[${LETTER}_-]{0,61}[${LETTER}])?`;
/**
 * The characters that may precede an address: none that would make it part of an e-mail address, a mention, a hashtag
 * or a word.
 */
const BEFORE = '(?<![A-Za-z0-9@＠$#＃])';
/** Every repetition is bounded, so that the search takes time in proportion to the length of any text. */
const DOMAIN = `(?:${LABEL}\\.){1,126}(?:xn--[a-z0-9-]{1,59}|[\\p{L}\\p{M}]{2,63})`;
const PATH_CHARACTER = `[${LETTER}!*';:=+,.$%\\[\\]\\-_~@&|/()#]`;
const PATH = `/${PATH_CHARACTER}{0,4096}`;
const QUERY = `\\?[${LETTER}!?*'();:&=+$/%#\\[\\]\\-_.,~|@]*[${LETTER}_&=#/\\-]`;
const CANDIDATE = new RegExp(`${BEFORE}(https?://)?(${DOMAIN})(:[0-9]+)?(${PATH})?(${QUERY})?`, 'giu');

/** A path does not end in punctuation, nor in a bracket that was opened before the address. */
function trimPath(path: string): string {
  let surplus = path.split(')').length - path.split('(').length;
  let length = path.length;
  for (; length > 1; length--) {
    const last = path[length - 1]!;
    if (last === ')' && surplus > 0) surplus -= 1;
    else if (!"!*';:.,$%[]~&|@".includes(last)) break;
  }
  return path.slice(0, length);
}

/** The longest front part of a host that ends in a top-level domain; null when there is none. */
function validHost(host: string): { readonly host: string; readonly country: boolean } | null {
  const labels = host.split('.');
  for (let count = labels.length; count >= 2; count--) {
    const top = labels[count - 1]!.toLowerCase();
    const country = COUNTRY_DOMAINS.has(top);
    if (country || GENERIC_DOMAINS.has(top) || /^xn--[a-z0-9]+/.test(top))
      return { host: labels.slice(0, count).join('.'), country };
  }
  return null;
}

/**
 * Without a scheme, a bare name below a country's domain ("read.me") is text; `co` and `tv` are not, and a path makes
 * it an address.
 */
function isBareWord(host: string, country: boolean): boolean {
  return country && host.split('.').length === 2 && !/\.(?:co|tv)$/i.test(host);
}

/** The addresses in a text as twitter-text finds them, in order, never overlapping. */
export function findAddresses(text: string): readonly AddressInText[] {
  if (!text.includes('.')) return [];
  const found: AddressInText[] = [];
  for (const match of text.matchAll(CANDIDATE)) {
    const [whole, scheme = '', domain = '', port = '', path = '', query = ''] = match;
    const valid = validHost(domain);
    if (valid === null) continue;
    if (scheme === '' && ('-_./'.includes(text[match.index - 1] ?? ' ') || /[^\x00-\x7f]/.test(valid.host))) continue;
    const whollyDomain = valid.host.length === domain.length;
    const kept = path === '' ? '' : query === '' ? trimPath(path) : path;
    const tail = whollyDomain ? port + kept + query : '';
    if (scheme === '' && kept === '' && isBareWord(valid.host, valid.country)) continue;
    const url = scheme + valid.host + tail;
    if (whole.length > MAX_URL) continue;
    found.push({ start: match.index, end: match.index + url.length, url });
  }
  return found;
}
