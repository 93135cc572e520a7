import type { NamedChannel } from './channel-names.ts';
import { nearestOf } from './nearest.ts';
import { EVERYWHERE, OPTION_COLUMNS, optionNamed, plainName } from './option-columns.ts';

/** What a column holds. `option` applies to `scope`: a Network or the name of a Channel; null: where there is one. */
export type ColumnMeaning =
  { readonly kind: FieldName } | { readonly kind: 'option'; readonly option: string; readonly scope: string | null };

export interface Column {
  readonly index: number;
  /** As the file calls it. */
  readonly header: string;
  readonly meaning: ColumnMeaning | null;
  /** For a column that says nothing to us: what it may have been meant to be. */
  readonly nearest: string | null;
}

/** The first name of each is ours; the others are those of people and of other tools' exports. */
const FIELDS = {
  text: ['text', 'message', 'content', 'caption', 'post', 'posttext', 'postcontent', 'body', 'copy', 'update', 'tweet'],
  channels: [
    'channels',
    'channel',
    'channelids',
    'channelid',
    'channelname',
    'profiles',
    'profile',
    'accounts',
    'account',
    'socialaccounts',
    'socialaccount',
    'socialprofile',
    'socialprofiles',
    'networks',
    'network',
    'socialnetwork',
    'service',
    'platform',
    'platforms',
  ],
  scheduledAt: [
    'scheduledat',
    'scheduled',
    'schedule',
    'scheduletime',
    'scheduledtime',
    'scheduleddatetime',
    'scheduleddate',
    'scheduledfor',
    'scheduleat',
    'publishat',
    'publishedat',
    'publishtime',
    'postingtime',
    'postat',
    'postingdate',
    'datetime',
    'dateandtime',
    'datetimelocal',
    'sendat',
    'dueat',
    'when',
    'at',
  ],
  date: ['date', 'day', 'postdate', 'publishdate', 'duedate'],
  time: ['time', 'hour', 'posttime', 'timeofday'],
  zone: ['zone', 'timezone', 'tz'],
  media: [
    'media',
    'mediaurl',
    'mediaurls',
    'image',
    'images',
    'imageurl',
    'imageurls',
    'picture',
    'pictures',
    'photo',
    'photos',
    'video',
    'videos',
    'videourl',
    'attachment',
    'attachments',
    'file',
    'files',
  ],
  altTexts: [
    'alttexts',
    'alttext',
    'alt',
    'imagealttext',
    'imagealttexts',
    'mediaalttext',
    'mediaalttexts',
    'imagealt',
  ],
  address: ['link', 'linkurl', 'url'],
  idempotencyKey: ['idempotencykey', 'rowkey', 'uniquekey'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type FieldName = keyof typeof FIELDS;

const BY_NAME = new Map(
  Object.entries(FIELDS).flatMap(([field, names]) =>
    names.map((name) => [name as string, field as FieldName] as const),
  ),
);

/** Reads the header row. A column is of a Channel that there is, or of a Network: any other would apply to no row. */
export function columnsOf(headers: readonly string[], channels: readonly NamedChannel[]): readonly Column[] {
  const scopes = [...EVERYWHERE, ...channels.flatMap(({ id, name, network }) => [id, name, network])];
  const known = new Set(scopes.map((scope) => scope.toLowerCase()));
  return headers.map((written, index) => {
    const header = written.trim();
    const meaning = header === '' ? null : meaningOf(header);
    if (meaning?.kind !== 'option' || meaning.scope === null || known.has(meaning.scope.toLowerCase()))
      return { index, header, meaning, nearest: meaning === null ? nearestColumn(header) : null };
    const scope = nearestOf(meaning.scope, scopes);
    return { index, header, meaning: null, nearest: scope === null ? null : `${scope}.${meaning.option}` };
  });
}

function meaningOf(header: string): ColumnMeaning | null {
  // Several columns of one kind are numbered: media 1, media_2.
  const plain = plainName(header).replace(
    /(?<=^(?:media|image|picture|photo|video|file|attachment|alttext)(?:url)?)\d+$/,
    '',
  );
  const field = BY_NAME.get(plain);
  if (field !== undefined) return { kind: field };
  const [, scope = '', name = ''] = /^(.+?)[.:/]\s*([^.:/]+)$/s.exec(header.trim()) ?? [];
  const scoped = scope === '' ? null : optionNamed(name);
  if (scoped !== null) return { kind: 'option', option: scoped, scope: scope.trim() };
  const option = optionNamed(header);
  return option === null ? null : { kind: 'option', option, scope: null };
}

function nearestColumn(header: string): string | null {
  const ours = Object.entries(FIELDS).map(([, [name]]) => name as string);
  return nearestOf(plainName(header), [...ours, ...Object.keys(OPTION_COLUMNS).map(plainName)]);
}
