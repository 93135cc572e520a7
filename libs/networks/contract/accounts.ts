import type { AuthAnswer, ConnectableAccount, Profile, Tokens } from './adapter.ts';

/** The one account of a Network where a sign-in is an account, and its tokens are the account's. */
export function accountsOf(profile: AuthAnswer<Profile>, tokens: Tokens): AuthAnswer<readonly ConnectableAccount[]> {
  return profile.kind === 'ok' ? { kind: 'ok', value: [{ ...profile.value, tokens }] } : profile;
}
