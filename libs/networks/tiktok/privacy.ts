import type { Privacy } from '#domain/network-options.ts';

/** What TikTok calls the levels of who may see a post. */
const LEVELS: Readonly<Partial<Record<Privacy, string>>> = {
  public: 'PUBLIC_TO_EVERYONE',
  friends: 'MUTUAL_FOLLOW_FRIENDS',
  followers: 'FOLLOWER_OF_CREATOR',
  only_me: 'SELF_ONLY',
};

/** TikTok's level; null: none was chosen, or TikTok has no such level. */
export function levelOf(privacy: Privacy | undefined): string | null {
  return privacy === undefined ? null : (LEVELS[privacy] ?? null);
}

/** The option's value for a level of TikTok's; null: a level that is new to us. */
export function privacyOf(level: unknown): Privacy | null {
  const found = Object.entries(LEVELS).find(([, known]) => known === level);
  return (found?.[0] as Privacy | undefined) ?? null;
}

export function isForEveryone(level: string): boolean {
  return level === LEVELS.public;
}

/** TikTok's guidelines forbid a default: a person has to choose. */
export const NO_PRIVACY =
  'TikTok needs to know who may see the post. Choose it with channelOptions.{id}.privacy (public, friends, followers or only_me), or in the defaults of the Channel.';
