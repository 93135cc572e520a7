import { json, type SandboxAnswer } from '../exchange.ts';

interface About {
  readonly domain?: string;
  readonly status?: string;
  readonly location?: string;
  readonly locationType?: string;
}

export function googleError(
  code: number,
  reason: string,
  message: string,
  { status, ...about }: About = {},
): SandboxAnswer {
  const errors = [{ message, domain: 'global', reason, ...about }];
  return json(code, { error: { code, message, errors, ...(status === undefined ? {} : { status }) } });
}

const HEADER = { location: 'Authorization', locationType: 'header' };

export function unauthorized(): SandboxAnswer {
  const message =
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. ' +
    'See https://developers.google.com/identity/sign-in/web/devconsole-project.';
  const errors = [{ message: 'Invalid Credentials', domain: 'global', reason: 'authError', ...HEADER }];
  return json(401, { error: { code: 401, message, errors, status: 'UNAUTHENTICATED' } });
}

const BODY = { domain: 'youtube.video', location: 'body', locationType: 'other' };

export const missingScope = () =>
  googleError(
    403,
    'insufficientPermissions',
    'Insufficient Permission: Request had insufficient authentication scopes.',
    { status: 'PERMISSION_DENIED' },
  );
export const missingParameter = (name: string) =>
  googleError(400, 'missingRequiredParameter', `Required parameter: ${name}`, {
    domain: 'youtube.parameter',
    location: `parameters.${name}`,
    locationType: 'parameter',
  });
export const badParameter = (reason: string, name: string, value: string) =>
  googleError(400, reason, `Invalid value for parameter ${name}: ${value.slice(0, 60)}`, {
    domain: 'youtube.parameter',
    location: `parameters.${name}`,
    locationType: 'parameter',
  });
export const badVideo = (reason: string, message: string) => googleError(400, reason, message, BODY);
export const badRequest = (message: string) => googleError(400, 'badRequest', message);
/** A body with a field that its resource lacks; `at` is the place of the field. */
export const unknownName = (name: string, at: string) =>
  googleError(
    400,
    'badRequest',
    `Invalid JSON payload received. Unknown name ${JSON.stringify(name.slice(0, 60))} at '${at}': Cannot find field.`,
    { status: 'INVALID_ARGUMENT' },
  );
export const parseError = () => googleError(400, 'parseError', 'Parse Error');
export const uploadLimit = () =>
  badVideo('uploadLimitExceeded', 'The user has exceeded the number of videos they may upload.');
export const quotaExceeded = () =>
  googleError(
    403,
    'quotaExceeded',
    'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
    { domain: 'youtube.quota' },
  );
export const signupRequired = () =>
  googleError(401, 'youtubeSignupRequired', 'Unauthorized', { domain: 'youtube.header', ...HEADER });
export const videoNotFound = () =>
  googleError(404, 'videoNotFound', 'The video that you are trying to find cannot be found.', {
    domain: 'youtube.video',
  });
export const backendError = () => googleError(503, 'backendError', 'Backend Error');
export const internalError = () => googleError(500, 'internalError', 'Internal Error');

/** The addresses of uploads answer in plain text. */
export const plain = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): SandboxAnswer => {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body,
  };
};

type Refusals = Readonly<Record<string, () => SandboxAnswer>>;

/** By the reason of the fault; the first is the default. */
export const RESTRICTIONS = {
  suspended: () =>
    googleError(
      403,
      'authenticatedUserAccountSuspended',
      'The YouTube account of the authenticated user is suspended.',
      { domain: 'youtube.header' },
    ),
  closed: () =>
    googleError(403, 'authenticatedUserAccountClosed', 'The YouTube account of the authenticated user is closed.', {
      domain: 'youtube.header',
    }),
  signup: signupRequired,
  forbidden: () => googleError(403, 'forbidden', 'Forbidden', { domain: 'youtube.header' }),
  privacy: () =>
    googleError(
      403,
      'forbiddenPrivacySetting',
      'The request attempts to set an invalid privacy setting for the video.',
      BODY,
    ),
  license: () =>
    googleError(403, 'forbiddenLicenseSetting', 'The request attempts to set an invalid license for the video.', BODY),
  not_enabled: () =>
    googleError(
      403,
      'accessNotConfigured',
      'YouTube Data API v3 has not been used in project 1 before or it is disabled.',
      { domain: 'usageLimits' },
    ),
} satisfies Refusals;

export const RATES = {
  project: () => googleError(403, 'rateLimitExceeded', 'Rate Limit Exceeded', { domain: 'usageLimits' }),
  user: () => googleError(403, 'userRateLimitExceeded', 'User Rate Limit Exceeded', { domain: 'usageLimits' }),
  too_many: () =>
    googleError(429, 'rateLimitExceeded', 'Resource has been exhausted (e.g. check quota).', {
      status: 'RESOURCE_EXHAUSTED',
    }),
} satisfies Refusals;

export const QUOTAS = {
  project: quotaExceeded,
  channel: uploadLimit,
  daily: () => googleError(403, 'dailyLimitExceeded', 'Daily Limit Exceeded', { domain: 'usageLimits' }),
} satisfies Refusals;

/** The error of a fault's reason. */
export const refusalFor = (refusals: Refusals, reason: string | null): SandboxAnswer =>
  (refusals[reason ?? ''] ?? Object.values(refusals)[0]!)();
