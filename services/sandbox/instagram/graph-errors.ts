import type { SandboxAnswer } from '../exchange.ts';
import { graphError as envelope, type GraphError } from '../graph/envelope.ts';

export const graphError = (error: Omit<GraphError, 'type' | 'status'> & Partial<GraphError>): SandboxAnswer =>
  envelope({ type: 'OAuthException', status: 400, ...error });

export const parameterError = (message: string) => graphError({ code: 100, message });

export const unknownToken = () =>
  graphError({ status: 401, code: 190, message: 'Invalid OAuth access token - Cannot parse access token' });

export const expiredToken = () =>
  graphError({ status: 401, code: 190, subcode: 463, message: 'Error validating access token: Session has expired.' });

export const revokedToken = () =>
  graphError({
    status: 401,
    code: 190,
    subcode: 460,
    message:
      'Error validating access token: The session has been invalidated because the user changed their password or Instagram has changed the session for security reasons.',
  });

export const noPermission = () =>
  graphError({ status: 403, code: 10, message: '(#10) Application does not have permission for this action' });

/** A missing object, and one that this token may not see, get the same answer. */
export function unsupported(verb: 'get' | 'post', id: string): SandboxAnswer {
  const message = `Unsupported ${verb} request. Object with ID '${id.slice(0, 60)}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`;
  return graphError({ code: 100, subcode: 33, message });
}

interface MediaError {
  readonly code: number;
  readonly subcode: number;
  readonly message: string;
  readonly title?: string;
  readonly userMessage?: string;
}

/** The errors of a file. */
export const MEDIA_ERRORS = {
  unreachable: {
    code: 9004,
    subcode: 2207052,
    message: 'Only photo or video can be accepted as media type.',
    title: 'Media download has failed.',
    userMessage: 'The media could not be fetched from this URI.',
  },
  large: {
    code: 36_000,
    subcode: 2207004,
    message: 'The image is too large',
    title: 'Image size',
    userMessage: 'The image is too large to download. It should be less than 8 MiB.',
  },
  format: {
    code: 36_001,
    subcode: 2207005,
    message: 'The image format is not supported',
    title: 'Image format',
    userMessage: 'Only JPEG images are supported.',
  },
  ratio: {
    code: 36_003,
    subcode: 2207009,
    message: 'The aspect ratio is not supported.',
    title: 'Aspect ratio',
    userMessage: 'The submitted image has an aspect ratio that is not allowed.',
  },
  slow: {
    code: -2,
    subcode: 2207003,
    message: 'It takes too long to download the media.',
    title: 'Timeout',
    userMessage: 'It takes too long to download the media. Please try again.',
  },
  thumbnail: {
    code: 1,
    subcode: 2207057,
    message: 'The thumbnail offset is invalid',
    title: 'Invalid thumbnail offset',
    userMessage: 'The thumbnail offset must be within the video.',
  },
  video: {
    code: 352,
    subcode: 2207026,
    message: 'The video format is not supported',
    title: 'Unsupported format',
    userMessage: 'The video format is not supported. Please check spec for supported format.',
  },
} as const satisfies Record<string, MediaError>;
export type MediaFault = keyof typeof MEDIA_ERRORS;

export const mediaError = (fault: MediaFault): SandboxAnswer =>
  graphError({ transient: false, ...MEDIA_ERRORS[fault] });

export const captionTooLong = () =>
  graphError({
    code: 36_004,
    subcode: 2207010,
    transient: false,
    message: 'The caption was too long',
    title: 'Caption too long',
    userMessage: 'The caption may have 2,200 characters, 30 hashtags and 20 @ tags.',
  });

export const badCarousel = (message: string) =>
  graphError({
    code: 100,
    subcode: 2207028,
    transient: false,
    message,
    title: 'Carousel validation failed',
    userMessage: message,
  });

export const unknownMediaType = () =>
  graphError({
    code: 100,
    subcode: 2207023,
    transient: false,
    message: 'The media type is unknown',
    title: 'Unknown media type',
  });

/** Accounts that are private, or not there. */
export const unreachableUsers = (names: readonly string[]) =>
  graphError({
    code: 110,
    subcode: 2207018,
    transient: false,
    message: 'Invalid user id',
    title: 'Cannot load user with a private profile or invalid username',
    userMessage: `The following user(s) cannot be accessed: ${names.join(', ').slice(0, 200)}`,
  });

export const tooManyTags = () =>
  graphError({
    code: 100,
    subcode: 2207040,
    transient: false,
    message: 'Too many tags',
    title: 'Cannot use more than 20 tags',
    userMessage: 'A media can have at most 20 tagged accounts.',
  });

export const notReady = () =>
  graphError({
    code: 9007,
    subcode: 2207027,
    transient: false,
    message: 'Media ID is not available',
    title: 'Cannot publish',
    userMessage: 'The media is not ready for publishing, please wait for a moment',
  });

export const mediaNotFound = () =>
  graphError({
    code: 24,
    subcode: 2207006,
    transient: false,
    message: 'The requested resource does not exist',
    title: 'Media Not Found',
    userMessage: 'The media cannot be found. It may have been deleted, or published already.',
  });

/** The API calls a publishable container a builder here. */
export const builderMissing = () =>
  graphError({
    code: 24,
    subcode: 2207008,
    transient: false,
    message: 'The requested resource does not exist',
    title: 'Media Builder Not Found',
    userMessage: 'The media builder with this creation id does not exist or has expired.',
  });

export const containerExpired = () =>
  graphError({
    code: -2,
    subcode: 2207020,
    transient: false,
    message: 'The media you are trying to access has expired. Please try to upload again',
  });

export const quotaReached = () =>
  graphError({
    code: 9,
    subcode: 2207042,
    transient: false,
    message: 'Application request limit reached',
    title: 'Reached max number of posts',
    userMessage: 'The app user has reached the maximum number of posts',
  });

/** The percentage of an account's calls that is used; `minutes`: until access is regained. */
export function usageHeaders(accountId: string, percent: number, minutes: number): SandboxAnswer['headers'] {
  const usage = {
    [accountId]: [
      {
        type: 'instagram',
        call_count: percent,
        total_cputime: 1,
        total_time: 1,
        estimated_time_to_regain_access: minutes,
      },
    ],
  };
  return {
    'x-app-usage': '{"call_count":2,"total_time":1,"total_cputime":1}',
    'x-business-use-case-usage': JSON.stringify(usage),
  };
}

export function rateLimited(accountId: string, minutes: number): SandboxAnswer {
  const headers = usageHeaders(accountId, 100, minutes);
  return graphError({
    code: 80_002,
    message: '(#80002) There have been too many calls to this Instagram account. Wait a bit and try again.',
    headers,
  });
}

const RESTRICTIONS: Readonly<Record<string, SandboxAnswer>> = {
  spam: graphError({
    code: 4,
    subcode: 2207051,
    transient: false,
    message: 'Application request limit reached',
    title: 'Action is blocked',
    userMessage: 'We restrict certain activity to protect our community.',
  }),
  inactive: graphError({
    code: 25,
    subcode: 2207050,
    transient: false,
    message: 'The Instagram account is restricted.',
    title: 'Account restricted',
    userMessage: 'The account is inactive, checkpointed or restricted.',
  }),
  authorization: graphError({
    code: 200,
    transient: false,
    message: '(#200) The user must complete Page Publishing Authorization.',
    title: 'Authorization needed',
    userMessage: 'Complete Page Publishing Authorization before you publish.',
  }),
};

/** The answer to spam, although the work is done: Instagram publishes some of what it calls so. */
export const SPAM_THOUGH_DONE = 'spam_though_done';

export const RESTRICTION_REASONS = [...Object.keys(RESTRICTIONS), SPAM_THOUGH_DONE];

export const restricted = (reason: string | null): SandboxAnswer =>
  RESTRICTIONS[reason ?? 'spam'] ?? RESTRICTIONS['spam']!;

export const samePostAgain = () => graphError({ code: 506, transient: false, message: 'Duplicate status message' });

export const temporarilyDown = () =>
  graphError({
    status: 503,
    code: 2,
    transient: true,
    message: 'An unexpected error has occurred. Please retry your request later.',
  });

export const serverFailed = () =>
  graphError({
    status: 500,
    code: -1,
    subcode: 2207001,
    transient: true,
    message: 'Instagram server error. Try again.',
  });

export const unknownPath = (path: string) =>
  graphError({ code: 2500, message: `Unknown path components: ${path.slice(0, 200)}` });
