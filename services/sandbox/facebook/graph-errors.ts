import type { SandboxAnswer } from '../exchange.ts';
import { graphError as envelope, type GraphError } from '../graph/envelope.ts';

export const graphError = (error: Omit<GraphError, 'type' | 'status'> & Partial<GraphError>): SandboxAnswer =>
  envelope({ type: 'OAuthException', status: 400, ...error });

export const parameterError = (message: string) => graphError({ code: 100, message });

export const syntaxError = () =>
  graphError({ code: 2500, message: 'Syntax error "Expected end of string." in the parameter fields.' });

export const noField =
  (kind: string) =>
  (field: string): SandboxAnswer =>
    parameterError(`(#100) Tried accessing nonexisting field (${field}) on node type (${kind})`);

export const unknownToken = () =>
  graphError({ status: 401, code: 190, message: 'Invalid OAuth access token - Cannot parse access token' });

export const noToken = () =>
  graphError({ code: 104, message: 'An access token is required to request this resource.' });

export const badProof = () =>
  graphError({ code: 100, message: 'Invalid appsecret_proof provided in the API argument' });

export const pageTokenNeeded = () =>
  graphError({ status: 403, code: 210, message: '(#210) A page access token is required to request this resource.' });

export const noPermission = () =>
  graphError({
    status: 403,
    code: 200,
    message:
      '(#200) If posting to a page, requires both pages_read_engagement and pages_manage_posts as an admin with sufficient administrative permission',
  });

/** The same, in the words of the edges of comments. */
export const noCommentPermission = () =>
  graphError({
    status: 403,
    code: 283,
    message: '(#283) Requires pages_manage_engagement permission to manage the object',
  });

/** The same, in the words of the edges of videos. */
export const noVideoPermission = () => parameterError('(#100) No permission to publish the video');

/** A missing object, and one that this token may not see, get the same answer. */
export function unsupported(verb: 'get' | 'post' | 'delete', id: string): SandboxAnswer {
  const message = `Unsupported ${verb} request. Object with ID '${id.slice(0, 60)}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`;
  return graphError({ code: 100, subcode: 33, message });
}

export const badImage = () =>
  graphError({
    code: 324,
    message: '(#324) Missing or invalid image file',
    title: 'Invalid image',
    userMessage: 'The image could not be read.',
  });

export function largeImage(): SandboxAnswer {
  const message =
    'Your photos could not be uploaded. Photos should be smaller than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF or WebP files.';
  return graphError({ code: 1, subcode: 1_366_046, message });
}

export const badAddress = () =>
  graphError({
    code: 100,
    subcode: 2_061_006,
    message: 'Invalid parameter',
    userMessage: 'The URL you supplied is invalid.',
  });

export const unreachableLink = () =>
  graphError({ code: 1_609_005, message: '(#1609005) The URL you are trying to share could not be scraped.' });

export const ownLink = () =>
  graphError({ code: 1_609_008, message: "(#1609008) You can't post links to facebook.com here." });

export const usedImage = () => graphError({ code: 1_366_051, message: 'These photos were already posted.' });

export const edgeLimit = () =>
  graphError({ code: 613, message: '(#613) Calls to this api have exceeded the rate limit.' });

export const samePostAgain = () =>
  graphError({ code: 506, message: '(#506) Duplicate status message', title: 'Duplicate Status Update' });

/** The first is the default reason. */
const RESTRICTIONS = {
  limited: {
    code: 368,
    subcode: 1_404_112,
    message: 'Your account is restricted right now',
    userMessage: 'You are temporarily limited from posting.',
  },
  abusive: {
    code: 368,
    subcode: 1_346_003,
    message: 'The action attempted has been deemed abusive or is otherwise disallowed',
    userMessage: 'This content was reported as abusive.',
  },
  standards: {
    code: 368,
    subcode: 1_404_102,
    message: 'The action attempted has been deemed abusive or is otherwise disallowed',
    userMessage: 'This content goes against our Community Standards.',
  },
  blocked: { code: 368, message: 'The action attempted has been deemed abusive or is otherwise disallowed' },
  checkpoint: {
    code: 190,
    subcode: 1_404_006,
    message: 'Log in to www.facebook.com and follow the instructions given.',
  },
  identity: {
    code: 190,
    subcode: 4_854_002,
    message: 'You must confirm your identity before you can publish as this Page.',
  },
  authorization: { code: 200, subcode: 1_404_078, message: 'The user must complete Page Publishing Authorization.' },
  capability: { code: 3, message: '(#3) Application does not have the capability to make this API call.' },
};
export const RESTRICTION_REASONS: readonly string[] = Object.keys(RESTRICTIONS);

export const restricted = (reason: string | null): SandboxAnswer =>
  graphError(RESTRICTIONS[(reason ?? 'limited') as keyof typeof RESTRICTIONS]);

/** Why a token is dead, by subcode; 102 is a code of its own. The first is the default reason. */
const DEAD_TOKENS: ReadonlyMap<string, string> = new Map([
  ['458', 'Error validating access token: The user has not authorized application.'],
  [
    '459',
    'Error validating access token: You cannot access the app till you log in to www.facebook.com and follow the instructions given.',
  ],
  [
    '460',
    'Error validating access token: The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons.',
  ],
  ['463', 'Error validating access token: Session has expired.'],
  [
    '464',
    'Error validating access token: Sessions for the user are not allowed because the user is not a confirmed user.',
  ],
  ['467', 'Error validating access token: This may be because the user logged out or may be due to a system error.'],
  [
    '492',
    'Error validating access token: The user must be an administrator, editor, or moderator of the page in order to impersonate it.',
  ],
  ['102', 'Session key invalid or no longer valid'],
]);
export const DEAD_TOKEN_REASONS: readonly string[] = [...DEAD_TOKENS.keys()];

export function deadToken(reason: string | null): SandboxAnswer {
  const chosen = reason ?? DEAD_TOKEN_REASONS[0]!;
  const message = DEAD_TOKENS.get(chosen)!;
  return chosen === '102'
    ? graphError({ status: 401, code: 102, message })
    : graphError({ status: 401, code: 190, subcode: Number(chosen), message });
}

export const expiredToken = () => deadToken('463');

export const revokedToken = () => deadToken('458');

export const temporarilyDown = () =>
  graphError({
    status: 503,
    code: 2,
    transient: true,
    message: 'An unexpected error has occurred. Please retry your request later.',
  });

export const unknownError = () => graphError({ status: 500, code: 1, message: 'An unknown error occurred' });

export const unknownPath = (path: string) =>
  graphError({ code: 2500, message: `Unknown path components: ${path.slice(0, 200)}` });
