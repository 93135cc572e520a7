import { isRecord, type SandboxAnswer } from '../exchange.ts';
import type { ItemOptions } from '../items.ts';
import { isUnaudited, type PublishRequest, type TiktokCallOptions } from './publish-request.ts';
import { invalidParameter, privateBrandedContent, unauditedClient, wrongPrivacy } from './envelope.ts';
import { PRIVATE } from './oauth.ts';
import type { TiktokPublication } from './publications.ts';

export const PUBLIC = 'PUBLIC_TO_EVERYONE';
export const ONLY_ME = 'SELF_ONLY';

/** TikTok's levels in our names. */
const PRIVACIES: Readonly<Record<string, NonNullable<ItemOptions['privacy']>>> = {
  [PUBLIC]: 'public',
  MUTUAL_FOLLOW_FRIENDS: 'friends',
  FOLLOWER_OF_CREATOR: 'followers',
  [ONLY_ME]: 'only_me',
};

/** The privacy levels of an account of this kind. */
export function privacyOptions(kind: string): readonly string[] {
  return [kind === PRIVATE ? 'FOLLOWER_OF_CREATOR' : PUBLIC, 'MUTUAL_FOLLOW_FRIENDS', ONLY_ME];
}

/** UTF-16 units. */
const MAX_CAPTION = 2_200;
const MAX_TITLE = 90;
const MAX_DESCRIPTION = 4_000;

const TYPES: Readonly<Record<string, 'string' | 'boolean' | 'number'>> = {
  ...{ title: 'string', description: 'string', privacy_level: 'string' },
  ...{ disable_comment: 'boolean', disable_duet: 'boolean', disable_stitch: 'boolean', auto_add_music: 'boolean' },
  ...{
    brand_content_toggle: 'boolean',
    brand_organic_toggle: 'boolean',
    is_aigc: 'boolean',
    video_cover_timestamp_ms: 'number',
  },
};

export type PostInfo = Pick<TiktokPublication, 'text' | 'title' | 'privacy' | 'options'>;

/** The fields of `post_info`, of the types in `TYPES`. */
type Info = Readonly<Partial<Record<string, string | boolean | number>>>;

/** What the request says beside the text, in our names; what it leaves out is left out. */
function optionsOf(info: Info, kind: TiktokPublication['kind']): ItemOptions {
  const flag = (name: string, as: keyof ItemOptions, isInverted = false) =>
    info[name] === undefined ? {} : { [as]: (info[name] === true) !== isInverted };
  const { title, privacy_level: privacy, video_cover_timestamp_ms: coverMs } = info;
  return {
    privacy: PRIVACIES[privacy as string]!,
    ...flag('disable_comment', 'allowComments', true),
    ...flag('brand_content_toggle', 'brandedContent'),
    ...flag('brand_organic_toggle', 'ownBrand'),
    ...flag('is_aigc', 'aiGenerated'),
    ...(kind === 'photo'
      ? { ...flag('auto_add_music', 'autoMusic'), ...(title === undefined ? {} : { title: title as string }) }
      : {
          ...flag('disable_duet', 'allowDuet', true),
          ...flag('disable_stitch', 'allowStitch', true),
          ...(coverMs === undefined ? {} : { cover: { atSeconds: (coverMs as number) / 1_000 } }),
        }),
  };
}

/** Why the post may not have the privacy that it names; null: it may. */
function judgePrivacy(
  { privacy_level: privacy, brand_content_toggle: isBranded }: Info,
  { account }: PublishRequest,
  options: TiktokCallOptions,
): SandboxAnswer | null {
  if (privacy === undefined) return invalidParameter('privacy_level is required.');
  if (!privacyOptions(account.kind).includes(privacy as string)) return wrongPrivacy();
  if (isUnaudited(options) && privacy !== ONLY_ME) return unauditedClient();
  return isBranded === true && privacy === ONLY_ME ? privateBrandedContent() : null;
}

/** The text and the choices of the post, or why they are refused. */
export function readPostInfo(
  call: PublishRequest,
  kind: TiktokPublication['kind'],
  options: TiktokCallOptions,
): PostInfo | SandboxAnswer {
  const sent = call.body['post_info'];
  if (!isRecord(sent)) return invalidParameter('post_info is required.');
  const wrong = Object.entries(TYPES).find(([name, type]) => Object.hasOwn(sent, name) && typeof sent[name] !== type);
  if (wrong !== undefined) return invalidParameter(`${wrong[0]} must be a ${wrong[1]}.`);
  const info = sent as Info;
  const refused = judgePrivacy(info, call, options);
  if (refused !== null) return refused;
  const { title = '', description = '', privacy_level: privacy } = info as Readonly<Record<string, string | undefined>>;
  const about = { privacy: privacy!, options: optionsOf(info, kind) };
  if (kind === 'video')
    return title.length > MAX_CAPTION
      ? invalidParameter(`The title may have ${MAX_CAPTION} UTF-16 units.`)
      : { ...about, text: title, title: null };
  if (title.length > MAX_TITLE) return invalidParameter(`The title may have ${MAX_TITLE} UTF-16 units.`);
  if (description.length > MAX_DESCRIPTION)
    return invalidParameter(`The description may have ${MAX_DESCRIPTION} UTF-16 units.`);
  return { ...about, text: description, title };
}
