import { isRecord, type SandboxAnswer } from '../exchange.ts';
import type { ItemOptions } from '../items.ts';
import { isAssignable } from './categories.ts';
import { badVideo } from './errors.ts';
import { refuseUnknown, VIDEO_NAMES } from './known-names.ts';
import type { Metadata } from './videos.ts';

/** Characters. */
const MAX_TITLE = 100;
const MAX_TAGS = 500;
/** Bytes. */
const MAX_DESCRIPTION = 5_000;
const PRIVACY = ['public', 'unlisted', 'private'];
const LICENSES = ['youtube', 'creativeCommon'];
const BRACKETS = /[<>]/;

const invalid = () => badVideo('invalidVideoMetadata', 'The request metadata is invalid.');

const SWITCHES = ['selfDeclaredMadeForKids', 'containsSyntheticMedia', 'embeddable', 'publicStatsViewable'];

function judgeStatus(status: Readonly<Record<string, unknown>>): SandboxAnswer | null {
  if (SWITCHES.some((name) => Object.hasOwn(status, name) && typeof status[name] !== 'boolean')) return invalid();
  const { privacyStatus = 'public', license = 'youtube', publishAt } = status;
  if (!PRIVACY.includes(privacyStatus as string) || !LICENSES.includes(license as string)) return invalid();
  const isPlanned =
    typeof publishAt === 'string' && !Number.isNaN(Date.parse(publishAt)) && privacyStatus === 'private';
  return publishAt === undefined || isPlanned
    ? null
    : badVideo('invalidPublishAt', 'The request metadata specifies an invalid scheduled publishing time.');
}

/** YouTube joins tags by commas and puts those with a space into quotation marks: all of that counts. */
function lengthOf(tags: readonly string[]): number {
  return [...tags.map((tag) => (/\s/.test(tag) ? `"${tag}"` : tag)).join(',')].length;
}

function judgeSnippet(snippet: Readonly<Record<string, unknown>>): SandboxAnswer | null {
  const { title, description = '', tags = [], categoryId = '22' } = snippet;
  if (typeof title !== 'string' || title.trim() === '' || [...title].length > MAX_TITLE || BRACKETS.test(title)) {
    return badVideo('invalidTitle', 'The request metadata specifies an invalid or empty video title.');
  }
  if (
    typeof description !== 'string' ||
    Buffer.byteLength(description) > MAX_DESCRIPTION ||
    BRACKETS.test(description)
  ) {
    return badVideo('invalidDescription', 'The request metadata specifies an invalid video description.');
  }
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string') || lengthOf(tags) > MAX_TAGS) {
    return badVideo('invalidTags', 'The request metadata specifies invalid video keywords.');
  }
  return isAssignable(categoryId)
    ? null
    : badVideo('invalidCategoryId', 'The snippet.categoryId property specifies an invalid category ID.');
}

type Fields = Readonly<Record<string, unknown>>;

/** What the request says beside the texts, in our names; what it leaves out is left out. */
function optionsOf(snippet: Fields, status: Fields, notifies: string | null): ItemOptions {
  const said = (name: keyof ItemOptions, value: unknown) => (value === undefined ? {} : { [name]: value });
  return {
    ...said('title', snippet['title']),
    ...said('tags', snippet['tags']),
    ...said('categoryId', snippet['categoryId']),
    ...said('privacy', status['privacyStatus']),
    ...said('madeForKids', status['selfDeclaredMadeForKids']),
    ...said('syntheticMedia', status['containsSyntheticMedia']),
    ...(notifies === null ? {} : { notifySubscribers: notifies === 'true' }),
  };
}

/** The title and the privacy of a video, or why they are refused. Only the parts that the query names count. */
export function readMetadata(body: unknown, query: URLSearchParams): Metadata | SandboxAnswer {
  if (!isRecord(body)) return invalid();
  const unknown = refuseUnknown(body, VIDEO_NAMES);
  if (unknown !== null) return unknown;
  const parts = (query.get('part') ?? '').split(',').map((part) => part.trim());
  const [snippet, status] = ['snippet', 'status'].map((part) => (parts.includes(part) ? (body[part] ?? {}) : {}));
  if (!isRecord(snippet) || !isRecord(status)) return invalid();
  const wrong = judgeSnippet(snippet) ?? judgeStatus(status);
  if (wrong !== null) return wrong;
  return {
    title: snippet['title'] as string,
    description: (snippet['description'] ?? '') as string,
    tags: (snippet['tags'] ?? []) as readonly string[],
    categoryId: (snippet['categoryId'] ?? '22') as string,
    privacy: (status['privacyStatus'] ?? 'public') as string,
    madeForKids: status['selfDeclaredMadeForKids'] === true,
    isSynthetic: status['containsSyntheticMedia'] === true,
    options: optionsOf(snippet, status, query.get('notifySubscribers')),
  };
}
