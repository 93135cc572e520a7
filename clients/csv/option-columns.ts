/** How an option is written in a cell. */
type OptionKind = 'word' | 'flag' | 'list' | 'cover';

interface OptionColumn {
  readonly kind: OptionKind;
  /** The Networks to which a column without a Channel's name applies; the others have no such option. */
  readonly networks: readonly string[];
}

const COMMENTED = ['facebook', 'instagram', 'youtube', 'x', 'threads'];
export const EVERYWHERE = ['facebook', 'instagram', 'tiktok', 'youtube', 'x', 'threads'];

/** Options of `channelOptions` that a column may hold, by their name in the API. */
export const OPTION_COLUMNS: Readonly<Record<string, OptionColumn>> = {
  placement: { kind: 'word', networks: ['facebook', 'instagram'] },
  text: { kind: 'word', networks: EVERYWHERE },
  title: { kind: 'word', networks: ['youtube', 'tiktok'] },
  cover: { kind: 'cover', networks: ['facebook', 'instagram', 'tiktok', 'youtube'] },
  firstComment: { kind: 'word', networks: COMMENTED },
  link: { kind: 'flag', networks: ['facebook'] },
  collaborators: { kind: 'list', networks: ['instagram'] },
  shareToFeed: { kind: 'flag', networks: ['instagram'] },
  privacy: { kind: 'word', networks: ['tiktok', 'youtube'] },
  allowComments: { kind: 'flag', networks: ['tiktok'] },
  allowDuet: { kind: 'flag', networks: ['tiktok'] },
  allowStitch: { kind: 'flag', networks: ['tiktok'] },
  brandedContent: { kind: 'flag', networks: ['tiktok'] },
  ownBrand: { kind: 'flag', networks: ['tiktok'] },
  aiGenerated: { kind: 'flag', networks: ['tiktok'] },
  autoMusic: { kind: 'flag', networks: ['tiktok'] },
  madeForKids: { kind: 'flag', networks: ['youtube'] },
  tags: { kind: 'list', networks: ['youtube'] },
  categoryId: { kind: 'word', networks: ['youtube'] },
  playlistIds: { kind: 'list', networks: ['youtube'] },
  syntheticMedia: { kind: 'flag', networks: ['youtube'] },
  notifySubscribers: { kind: 'flag', networks: ['youtube'] },
  replySettings: { kind: 'word', networks: ['x'] },
  madeWithAi: { kind: 'flag', networks: ['x'] },
  topicTag: { kind: 'word', networks: ['threads'] },
  replyControl: { kind: 'word', networks: ['threads'] },
};

/** Cases, spaces, dashes and underscores make no difference in names. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

const BY_PLAIN_NAME = new Map(Object.keys(OPTION_COLUMNS).map((name) => [plainName(name), name]));

/** The option's name in the API; null when there is none of this name. */
export function optionNamed(name: string): string | null {
  return BY_PLAIN_NAME.get(plainName(name)) ?? null;
}

export type OptionReading =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

const YES = new Set(['yes', 'y', 'true', '1', 'on', 'x']);
const NO = new Set(['no', 'n', 'false', '0', 'off']);

/** The value of an option as it is written in a cell or behind `--option`. */
export function readOption(name: string, text: string): OptionReading {
  const { kind } = OPTION_COLUMNS[name]!;
  const written = text.trim();
  switch (kind) {
    case 'word':
      return { ok: true, value: name === 'text' || name === 'firstComment' ? text : written };
    case 'list':
      return { ok: true, value: written.split(/[,|\n]/).flatMap((each) => (each.trim() === '' ? [] : [each.trim()])) };
    case 'cover':
      if (/^\d+(\.\d+)?s?$/.test(written)) return { ok: true, value: { atSeconds: Number.parseFloat(written) } };
      if (/^https:\/\//.test(written)) return { ok: true, value: { url: written } };
      return {
        ok: false,
        message: `must be seconds from the start of the video, or an https address, not "${written}"`,
      };
    default:
      if (YES.has(written.toLowerCase())) return { ok: true, value: true };
      if (NO.has(written.toLowerCase())) return { ok: true, value: false };
      return { ok: false, message: `must be yes or no, not "${written}"` };
  }
}
