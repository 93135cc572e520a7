import { isRecord, type SandboxAnswer } from '../exchange.ts';
import type { PublishRequest } from './publish-request.ts';
import { invalidParameter, wrongPrivacy } from './envelope.ts';
import { PRIVATE } from './oauth.ts';
import type { TiktokPublication } from './publications.ts';

export const PUBLIC = 'PUBLIC_TO_EVERYONE';

/** The privacy levels of an account of this kind. */
export function privacyOptions(kind: string): readonly string[] {
  return [kind === PRIVATE ? 'FOLLOWER_OF_CREATOR' : PUBLIC, 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'];
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

/** The text and the privacy of the post, or why they are refused. */
export function readPostInfo(
  { body, account }: PublishRequest,
  kind: TiktokPublication['kind'],
): Pick<TiktokPublication, 'text' | 'title' | 'privacy'> | SandboxAnswer {
  const info = body['post_info'];
  if (!isRecord(info)) return invalidParameter('post_info is required.');
  const wrong = Object.entries(TYPES).find(([name, type]) => Object.hasOwn(info, name) && typeof info[name] !== type);
  if (wrong !== undefined) return invalidParameter(`${wrong[0]} must be a ${wrong[1]}.`);
  const { title = '', description = '', privacy_level: privacy } = info as Readonly<Record<string, string | undefined>>;
  if (privacy === undefined) return invalidParameter('privacy_level is required.');
  if (!privacyOptions(account.kind).includes(privacy)) return wrongPrivacy();
  if (kind === 'video')
    return title.length > MAX_CAPTION
      ? invalidParameter(`The title may have ${MAX_CAPTION} UTF-16 units.`)
      : { text: title, title: null, privacy };
  if (title.length > MAX_TITLE) return invalidParameter(`The title may have ${MAX_TITLE} UTF-16 units.`);
  if (description.length > MAX_DESCRIPTION)
    return invalidParameter(`The description may have ${MAX_DESCRIPTION} UTF-16 units.`);
  return { text: description, title, privacy };
}
