import type { SandboxAnswer } from '../exchange.ts';
import { graphError as envelope, type GraphError } from '../graph/envelope.ts';

export const graphError = (error: Omit<GraphError, 'type'> & Partial<GraphError>) =>
  envelope({ type: 'THApiException', ...error });

export const parameterError = (message: string) => graphError({ status: 400, code: 100, message });

/** Threads answers 500 even where the caller lacks a permission. */
export const noPermission = () =>
  graphError({ status: 500, code: 10, message: 'Application does not have permission for this action' });

export const unknownToken = () => graphError({ status: 500, code: 190, message: 'Invalid OAuth 2.0 Access Token' });

export const expiredToken = () =>
  graphError({
    status: 400,
    type: 'OAuthException',
    code: 190,
    subcode: 463,
    message: 'Error validating access token: Session has expired.',
  });

export const revokedToken = () =>
  graphError({
    status: 400,
    type: 'OAuthException',
    code: 190,
    subcode: 458,
    message: 'Error validating access token: The user has not authorized the application.',
  });

/** A missing object, and one that this token may not see, get the same answer. */
export const unsupportedGet = (id: string) =>
  graphError({
    status: 400,
    code: 100,
    subcode: 33,
    message: `Unsupported get request. Object with ID '${id.slice(0, 60)}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
  });

/** A container that can't be published: not ready, ended, published already, or unknown. */
export const mediaNotFound = (containerId: string) =>
  graphError({
    status: 400,
    type: 'OAuthException',
    code: 24,
    subcode: 4279009,
    transient: false,
    message: 'The requested resource does not exist',
    title: 'Media Not Found',
    userMessage: `The media with id ${containerId.slice(0, 60)} cannot be found.`,
  });

export const mediaUnreachable = () =>
  graphError({
    status: 400,
    type: 'OAuthException',
    code: 9004,
    subcode: 2207052,
    transient: false,
    message: 'Only photo or video can be accepted as media type.',
    title: 'Media download has failed.',
    userMessage: 'The media could not be fetched from this URI.',
  });

export const quotaReached = () =>
  graphError({
    status: 400,
    type: 'OAuthException',
    code: 613,
    message: '(#613) Calls to this api have exceeded the rate limit.',
    title: 'Reached max number of posts',
    userMessage: 'The app user has reached the maximum number of posts within 24 hours.',
  });

/** `minutes`: until access is regained. */
export function rateLimited(accountId: string, minutes: number): SandboxAnswer {
  const usage = {
    [accountId]: [
      { type: 'threads', call_count: 100, total_cputime: 20, total_time: 20, estimated_time_to_regain_access: minutes },
    ],
  };
  const headers = {
    'x-app-usage': '{"call_count":100,"total_time":25,"total_cputime":25}',
    'x-business-use-case-usage': JSON.stringify(usage),
  };
  return graphError({
    status: 400,
    type: 'OAuthException',
    code: 4,
    transient: true,
    message: '(#4) Application request limit reached',
    headers,
  });
}

export const userRestricted = () =>
  graphError({
    status: 400,
    type: 'OAuthException',
    code: 100,
    subcode: 4279013,
    transient: false,
    message: 'User is restricted',
    title: 'User Restricted',
    userMessage: 'The user account is restricted from posting.',
  });

export const judgedSpam = () =>
  graphError({
    status: 400,
    type: 'OAuthException',
    code: 4,
    subcode: 2207051,
    transient: false,
    message: 'Application request limit reached',
    title: 'Action is blocked',
    userMessage: 'We restrict certain activity to protect our community.',
  });

export const samePostAgain = () =>
  graphError({ status: 400, type: 'OAuthException', code: 506, transient: false, message: 'Duplicate status message' });

export const temporarilyDown = () =>
  graphError({
    status: 500,
    type: 'OAuthException',
    code: 2,
    transient: true,
    message: 'An unexpected error has occurred. Please retry your request later.',
  });

export const unknownError = () => graphError({ status: 500, code: 1, message: 'An unknown error has occurred.' });

export const unknownPath = (path: string) =>
  graphError({
    status: 400,
    type: 'OAuthException',
    code: 2500,
    message: `Unknown path components: ${path.slice(0, 200)}`,
  });
