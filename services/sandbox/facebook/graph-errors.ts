import type { Answer } from '../exchange.ts';
import { graphError as envelope } from '../graph/envelope.ts';
import type { GraphError } from '../graph/envelope.ts';

export const graphError = (error: Omit<GraphError, 'type' | 'status'> & Partial<GraphError>): Answer => envelope({ type: 'OAuthException', status: 400, ...error });

export const parameterError = (message: string) => graphError({ code: 100, message });

export const unknownToken = () => graphError({ status: 401, code: 190, message: 'Invalid OAuth access token - Cannot parse access token' });

export const noToken = () => graphError({ code: 104, message: 'An access token is required to request this resource.' });

export const expiredToken = () => graphError({ status: 401, code: 190, subcode: 463, message: 'Error validating access token: Session has expired.' });

export const revokedToken = () =>
  graphError({ status: 401, code: 190, subcode: 458, message: 'Error validating access token: The user has not authorized application.' });

export const pageTokenNeeded = () => graphError({ status: 403, code: 210, message: '(#210) A page access token is required to request this resource.' });

export const noPermission = () =>
  graphError({ status: 403, code: 200, message: '(#200) If posting to a page, requires both pages_read_engagement and pages_manage_posts as an admin with sufficient administrative permission' });

/** What is not there, and what this token may not see, look the same. */
export function unsupported(verb: 'get' | 'post' | 'delete', id: string): Answer {
  const message = `Unsupported ${verb} request. Object with ID '${id.slice(0, 60)}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`;
  return graphError({ code: 100, subcode: 33, message });
}

export const badImage = () => graphError({ code: 324, message: '(#324) Missing or invalid image file', title: 'Invalid image', userMessage: 'The image could not be read.' });

export function largeImage(): Answer {
  const message = 'Your photos could not be uploaded. Photos should be smaller than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF or WebP files.';
  return graphError({ code: 1, subcode: 1366046, message });
}

export const usedImage = () => graphError({ code: 1366051, message: 'These photos were already posted.' });

export const unreachableVideo = () => graphError({ code: 389, message: '(#389) Unable to fetch video file from URL.' });

/** One of the family 1363xxx; `offsets` come with the one about them. */
export function videoError(subcode: number, message: string): Answer {
  return graphError({ code: 6000, subcode, message });
}

export function wrongOffset(from: number, to: number): Answer {
  const answer = videoError(1363037, 'There was a problem uploading your video: the start offset is not the expected one. Please try again.');
  const body = JSON.parse(answer.body as string) as { readonly error: object };
  return { ...answer, body: JSON.stringify({ error: { ...body.error, error_data: { start_offset: String(from), end_offset: String(to) } } }) };
}

/** `minutes`: until access is regained. */
export function rateLimited(pageId: string, minutes: number): Answer {
  const usage = { [pageId]: [{ type: 'pages', call_count: 100, total_cputime: 20, total_time: 20, estimated_time_to_regain_access: minutes }] };
  const headers = { 'x-app-usage': '{"call_count":28,"total_time":25,"total_cputime":25}', 'x-business-use-case-usage': JSON.stringify(usage) };
  return graphError({ code: 32, message: '(#32) Page request limit reached', headers });
}

export const edgeLimit = () => graphError({ code: 613, message: '(#613) Calls to this api have exceeded the rate limit.' });

export const samePostAgain = () => graphError({ code: 506, message: '(#506) Duplicate status message', title: 'Duplicate Status Update' });

const RESTRICTIONS: Readonly<Record<string, GraphError>> = {
  limited: { status: 400, type: 'OAuthException', code: 368, subcode: 1404112, message: 'Your account is restricted right now', userMessage: 'You are temporarily limited from posting.' },
  abusive: { status: 400, type: 'OAuthException', code: 368, subcode: 1346003, message: 'The action attempted has been deemed abusive or is otherwise disallowed', userMessage: 'This content was reported as abusive.' },
  checkpoint: { status: 400, type: 'OAuthException', code: 190, subcode: 1404006, message: 'Log in to www.facebook.com and follow the instructions given.' },
  authorization: { status: 400, type: 'OAuthException', code: 200, subcode: 1404078, message: 'The user must complete Page Publishing Authorization.' },
};
export const RESTRICTION_REASONS = Object.keys(RESTRICTIONS);

export const restricted = (reason: string): Answer => graphError(RESTRICTIONS[reason] ?? RESTRICTIONS['limited']!);

export const temporarilyDown = () => graphError({ status: 503, code: 2, transient: true, message: 'An unexpected error has occurred. Please retry your request later.' });

export const unknownError = () => graphError({ status: 500, code: 1, message: 'An unknown error occurred' });

export const unknownPath = (path: string) => graphError({ code: 2500, message: `Unknown path components: ${path.slice(0, 200)}` });
