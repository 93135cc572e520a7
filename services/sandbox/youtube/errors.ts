import { json } from '../exchange.ts';
import type { Answer } from '../exchange.ts';

export function googleError(code: number, reason: string, message: string, domain = 'global', more: object = {}): Answer {
  return json(code, { error: { code, message, errors: [{ message, domain, reason }], ...more } });
}

export function unauthorized(): Answer {
  const message = 'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.';
  const errors = [{ message: 'Invalid Credentials', domain: 'global', reason: 'authError', location: 'Authorization', locationType: 'header' }];
  return json(401, { error: { code: 401, message, errors, status: 'UNAUTHENTICATED' } });
}

export const missingScope = () => googleError(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', 'global', { status: 'PERMISSION_DENIED' });
export const badRequest = (reason: string, message: string) => googleError(400, reason, message, 'youtube.video');
export const uploadLimit = () => badRequest('uploadLimitExceeded', 'The user has exceeded the number of videos they may upload.');
export const quotaExceeded = () => googleError(403, 'quotaExceeded', 'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.', 'youtube.quota');
export const rateLimited = () => googleError(403, 'rateLimitExceeded', 'The request cannot be completed because you have exceeded your rate limit.', 'usageLimits');
export const backendError = () => googleError(503, 'backendError', 'Backend Error');
export const notFound = (message: string) => googleError(404, 'videoNotFound', message, 'youtube.video');
export const sessionGone = (): Answer => ({ status: 410, headers: { 'content-type': 'text/plain' }, body: '' });

const RESTRICTIONS: Readonly<Record<string, string>> = {
  suspended: 'authenticatedUserAccountSuspended',
  closed: 'authenticatedUserAccountClosed',
  signup: 'youtubeSignupRequired',
};
export const RESTRICTION_REASONS = Object.keys(RESTRICTIONS);

export function restricted(asked: string | null): Answer {
  const reason = RESTRICTIONS[asked ?? 'suspended'] ?? RESTRICTIONS['suspended']!;
  return googleError(reason === 'youtubeSignupRequired' ? 401 : 403, reason, 'The YouTube account of the authenticated user can not do this.', 'youtube.header');
}
