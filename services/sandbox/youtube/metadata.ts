import { isRecord, type SandboxAnswer } from '../exchange.ts';
import { badVideo } from './errors.ts';
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
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string') || [...tags.join(',')].length > MAX_TAGS) {
    return badVideo('invalidTags', 'The request metadata specifies invalid video keywords.');
  }
  return typeof categoryId === 'string' && /^\d{1,2}$/.test(categoryId)
    ? null
    : badVideo('invalidCategoryId', 'The snippet.categoryId property specifies an invalid category ID.');
}

/** The title and the privacy of a video, or why they are refused. */
export function readMetadata(body: unknown): Metadata | SandboxAnswer {
  if (!isRecord(body)) return invalid();
  const { snippet = {}, status = {} } = body;
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
  };
}
