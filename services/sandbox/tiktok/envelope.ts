import { json, type SandboxAnswer } from '../exchange.ts';

const LOG_ID = '202611200000000000000000000000AB';

export const done = (data: object): SandboxAnswer =>
  json(200, { data, error: { code: 'ok', message: '', log_id: LOG_ID } });

export function refused(status: number, code: string, message: string): SandboxAnswer {
  return json(status, { data: {}, error: { code, message, log_id: LOG_ID } });
}

export const invalidToken = () =>
  refused(401, 'access_token_invalid', 'The access token is invalid or not found in the request.');
export const missingScope = () =>
  refused(401, 'scope_not_authorized', 'The user did not authorize the scope required for completing this request.');
export const invalidParameter = (message: string) => refused(400, 'invalid_params', message);
export const unknownPublication = () => refused(400, 'invalid_publish_id', 'The publish_id does not exist.');
export const foreignPublication = () =>
  refused(403, 'token_not_authorized_for_specified_publish_id', 'The token is not authorized for this publish_id.');
export const tooManyCalls = () =>
  refused(429, 'rate_limit_exceeded', 'The API rate limit was exceeded. Please try again later.');
export const tooManyPosts = () =>
  refused(403, 'spam_risk_too_many_posts', 'The daily post cap from the API is reached for the current user.');
export const unverifiedUrl = () =>
  refused(403, 'url_ownership_unverified', 'Please verify the ownership of the URL domain or prefix.');
export const wrongPrivacy = () =>
  refused(403, 'privacy_level_option_mismatch', 'The privacy_level is not one of those that creator_info offers.');
export const unauditedClient = () =>
  refused(
    403,
    'unaudited_client_can_only_post_to_private_accounts',
    'Unaudited clients can only post to a private account.',
  );
export const privateBrandedContent = () => invalidParameter('Branded content visibility cannot be set to private.');
export const internalError = () => refused(500, 'internal_error', 'Something went wrong. Please try again later.');

type Refusals = Readonly<Record<string, () => SandboxAnswer>>;

/** By the reason of the fault; the first is the default. */
export const RESTRICTIONS = {
  banned: () => refused(403, 'spam_risk_user_banned_from_posting', 'The user is banned from making new posts.'),
  unaudited: unauditedClient,
  privacy: wrongPrivacy,
  app_version: () => refused(400, 'app_version_check_failed', 'The version of the app is not supported.'),
} satisfies Refusals;

export const QUOTAS = {
  posts: tooManyPosts,
  pending_shares: () =>
    refused(403, 'spam_risk_too_many_pending_share', 'There are 5 pending shares of the last 24 hours.'),
  active_users: () =>
    refused(403, 'reached_active_user_cap', 'The daily quota for active publishing users of the client is reached.'),
} satisfies Refusals;

/** The error of a fault's reason. */
export const refusalFor = (refusals: Refusals, reason: string | null): SandboxAnswer =>
  (refusals[reason ?? ''] ?? Object.values(refusals)[0]!)();
