/** Without these no account can be connected, and nothing posted to it. */
export const NEEDED_SCOPES = ['user.info.basic', 'video.publish'] as const;
/** Of the account's @name. Links need it not: TikTok tells their name with each post. */
export const NAME_SCOPE = 'user.info.profile';

/** Without `video.list`, photos whose answer was lost stay unconfirmed, and some links are missing. */
export const SCOPES: readonly string[] = [...NEEDED_SCOPES, NAME_SCOPE, 'video.list'];

/**
 * The scopes in CRIER_TIKTOK_SCOPES; null: none are set. TikTok refuses a sign-in as a whole that asks for a scope that
 * the app was not given. Throws an Error that says what is wrong.
 */
export function scopesIn(setting: string): readonly string[] | null {
  if (setting.trim() === '') return null;
  const scopes = [...new Set(setting.split(/[\s,]+/).filter((scope) => scope !== ''))];
  const missing = NEEDED_SCOPES.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    throw new Error(
      `CRIER_TIKTOK_SCOPES lacks ${missing.join(' and ')}: add it, and give it to the app in tiktok's developer portal. Crier needs ${NEEDED_SCOPES.join(' and ')} there; ${SCOPES.slice(NEEDED_SCOPES.length).join(' and ')} may be left out`,
    );
  return scopes;
}
