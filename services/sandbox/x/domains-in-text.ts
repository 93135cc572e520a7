import { topLevelDomainEnd } from './top-level-domains.ts';

/** Of UTF-16 code units; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Directional marks stand beside addresses without being part of them. */
export const DIRECTIONAL = '\\u202A-\\u202E\\u061C\\u200E\\u200F\\u2066-\\u2069';
const SPACES = '\\x09-\\x0D\\x20\\x85\\xA0\\u1680\\u180E\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000';
const NEVER = '\\uFFFE\\uFEFF\\uFFFF';
const PUNCTUATION = "!'#%&()*+,\\\\\\-./:;<=>?@\\[\\]^_{|}~$";
/** Whatever is no punctuation, no space and no mark may be in a domain. */
const NO_DOMAIN_CHARACTER = new RegExp(`[${PUNCTUATION}${SPACES}${NEVER}${DIRECTIONAL}]`);

const isDomainCharacter = (text: string, at: number): boolean =>
  at < text.length && !NO_DOMAIN_CHARACTER.test(text[at]!);

/** A part of a domain, up to its dot. */
interface Label extends TextRange {
  /** Whether its last character may end a label. */
  readonly endsWell: boolean;
  /** Where its last underscore is; -1: nowhere. Only subdomains may have one. */
  readonly underscoreAt: number;
  /** Where the top-level domain after the dot ends; null: there is none. */
  readonly topEnd: number | null;
  /** Where the longest domain ends that begins with the whole of this label; null: there is none. */
  longest: number | null;
}

/** Characters without a gap that could be one domain: its labels, each with the dot after it. */
interface Run extends TextRange {
  readonly labels: readonly Label[];
}

function labelOf(text: string, start: number, end: number): Label {
  const endsWell = end > start && isDomainCharacter(text, end - 1);
  const underscoreAt = text.slice(start, end).lastIndexOf('_');
  return {
    ...{ start, end, endsWell },
    underscoreAt: underscoreAt < 0 ? -1 : start + underscoreAt,
    topEnd: topLevelDomainEnd(text, end + 1),
    longest: null,
  };
}

/** What the longest domain is that enters a label at `at`; null: none does. */
function domainEndFrom(label: Label, next: Label | undefined, at: number, text: string): number | null {
  if (!label.endsWell || !isDomainCharacter(text, at)) return null;
  if (next !== undefined && next.longest !== null) return next.longest;
  return label.underscoreAt >= at ? null : label.topEnd;
}

function readRun(text: string, start: number): Run {
  const labels: Label[] = [];
  let labelStart = start;
  let end = start;
  for (; end < text.length; end++) {
    const character = text[end]!;
    if (character === '.') {
      labels.push(labelOf(text, labelStart, end));
      labelStart = end + 1;
    } else if (character !== '-' && character !== '_' && !isDomainCharacter(text, end)) break;
  }
  for (let index = labels.length - 1; index >= 0; index--) {
    const label = labels[index]!;
    label.longest = domainEndFrom(label, labels[index + 1], label.start, text);
  }
  return { start, end, labels };
}

/**
 * Finds domains as twitter-text does: the longest that begins at a place, which is one label or more and a top-level
 * domain. The places must ascend: every run of characters is read once, so that a text of any kind takes time in
 * proportion to its length.
 */
export function createDomainReader(text: string): { endOf(at: number): number | null } {
  let run: Run = { start: 0, end: 0, labels: [] };
  let index = 0;
  return {
    endOf(at) {
      if (at < run.start || at >= run.end) {
        run = readRun(text, at);
        index = 0;
      }
      while (index < run.labels.length && run.labels[index]!.end <= at) index += 1;
      const label = run.labels[index];
      return label === undefined ? null : domainEndFrom(label, run.labels[index + 1], at, text);
    },
  };
}

const LATIN =
  '\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\xFF\\u0100-\\u024F\\u0253\\u0254\\u0256\\u0257\\u0259\\u025B\\u0263\\u0268\\u026F\\u0272\\u0289\\u028B\\u02BB\\u0300-\\u036F\\u1E00-\\u1EFF';
/** Letters that addresses may have after their domain, for a character class. */
export const PATH_LETTERS = `a-z0-9\\u0400-\\u04FF${LATIN}`;
const PLAIN_TAIL = new RegExp(`[-a-z0-9${LATIN}]*$`, 'i');

/** A part of a domain, up to its dot. */
interface Part extends TextRange {
  readonly topEnd: number | null;
  readonly isPlain: boolean;
  /** Where the longest plain domain ends that enters this part at its end; null: there is none. */
  longest: number | null;
}

function partsOf(domain: string): readonly Part[] {
  const parts: Part[] = [];
  let start = 0;
  for (const text of domain.split('.').slice(0, -1)) {
    const end = start + text.length;
    const isPlain = text !== '' && PLAIN_TAIL.exec(text)![0].length === text.length;
    parts.push({ start, end, isPlain, topEnd: topLevelDomainEnd(domain, end + 1), longest: null });
    start = end + 1;
  }
  for (let index = parts.length - 1; index >= 0; index--) {
    const next = parts[index + 1];
    parts[index]!.longest = (next?.isPlain === true ? next.longest : null) ?? parts[index]!.topEnd;
  }
  return parts;
}

/**
 * The domains inside `domain` that have no letters of other scripts: without a scheme, only these are addresses. Text
 * of other scripts around them belongs to the sentence.
 */
export function plainDomains(domain: string): readonly TextRange[] {
  const found: TextRange[] = [];
  let from = 0;
  for (const { start: partStart, end: partEnd, longest } of partsOf(domain)) {
    if (partEnd <= from || longest === null) continue;
    const start = partEnd - PLAIN_TAIL.exec(domain.slice(Math.max(partStart, from), partEnd))![0].length;
    if (start === partEnd) continue;
    // Of a domain that is there twice, twitter-text takes the first place.
    const first = domain.indexOf(domain.slice(start, longest), from);
    from = first + longest - start;
    found.push({ start: first, end: from });
  }
  return found;
}
