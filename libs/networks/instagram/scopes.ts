import type { SignInSettings } from '../contract/adapter.ts';

/** What publishing needs, and what is asked for beside it and not missed. */
export interface LoginScopes {
  readonly needed: readonly string[];
  readonly optional: readonly string[];
}

/** Without it first comments fail, and everything else is published. */
export const INSTAGRAM_COMMENT_SCOPE = 'instagram_business_manage_comments';
export const INSTAGRAM_SCOPES: LoginScopes = {
  needed: ['instagram_business_basic', 'instagram_business_content_publish'],
  optional: [INSTAGRAM_COMMENT_SCOPE],
};

/** As `INSTAGRAM_COMMENT_SCOPE`, for accounts that came by Facebook Login. */
export const FACEBOOK_COMMENT_SCOPE = 'instagram_manage_comments';
export const FACEBOOK_SCOPES: LoginScopes = {
  needed: ['instagram_basic', 'instagram_content_publish', 'pages_show_list', 'pages_read_engagement'],
  optional: [FACEBOOK_COMMENT_SCOPE, 'business_management'],
};

/**
 * What a person is asked for. A login may refuse the whole request for a scope that the app does not have, so an
 * optional one is left out where the operator says what the app has.
 */
export function askedScopes({ needed, optional }: LoginScopes, { scopes }: SignInSettings = {}): readonly string[] {
  return [...needed, ...optional.filter((scope) => scopes === undefined || scopes.includes(scope))];
}
