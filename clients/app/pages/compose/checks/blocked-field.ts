/** The parts of the composer that something can stand against. */
export type BlockedField = (typeof NAMED)[number] | 'channels' | 'altText' | 'disclosure' | 'when' | 'other';

/** Where a blocker is put right. */
export interface BlockedPlace {
  readonly field: BlockedField;
  /** The file that it is about, by its place in the Post from 0; null: none, or all of them. */
  readonly file: number | null;
}

/** Fields that the composer calls as the request does. */
const NAMED = [
  'text',
  'firstComment',
  'title',
  'media',
  'cover',
  'placement',
  'privacy',
  'aiGenerated',
  'topicTag',
  'tags',
  'categoryId',
  'collaborators',
  'userTags',
] as const;

const OF_CHANNEL = /^channelOptions\.[^.]+\.(?:youtube\.)?(.+)$/;
const OF_FILE = /^media\.(\d+)(\.altText)?$/;

/** The place of a blocker's `path`, or of the part of a Variant that a Network's limits name. */
export function blockedPlaceOf(path: string | undefined): BlockedPlace {
  const [, index, words] = OF_FILE.exec(path ?? '') ?? [];
  if (index !== undefined) return { field: words === undefined ? 'media' : 'altText', file: Number(index) };
  return { field: fieldOf(path ?? ''), file: null };
}

function fieldOf(path: string): BlockedField {
  if (path === 'channel' || path.startsWith('channelIds')) return 'channels';
  if (path === 'scheduledAt') return 'when';
  const name = OF_CHANNEL.exec(path)?.[1] ?? path;
  if (name === 'ownBrand' || name === 'brandedContent') return 'disclosure';
  return NAMED.find((each) => each === name) ?? 'other';
}
