import { json, type SandboxAnswer } from '../exchange.ts';

/** X refuses in two shapes: problem+json, and the older list of numbered errors. */
const TYPES = 'https://api.twitter.com/2/problems';

export function problem(
  status: number,
  title: string,
  detail: string,
  type = 'about:blank',
  more: object = {},
): SandboxAnswer {
  return json(status, { ...more, title, detail, type, status });
}

export function legacyError(status: number, code: number, message: string): SandboxAnswer {
  return json(status, { errors: [{ code, message }] });
}

export const unauthorized = () =>
  json(401, { title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' });

export const forbidden = (detail: string) =>
  json(403, { detail, type: 'about:blank', title: 'Forbidden', status: 403 });

export const duplicateContent = () => forbidden('You are not allowed to create a Tweet with duplicate content.');

export const notPermitted = () => forbidden('You are not permitted to perform this action.');

export function missingScope(scopes: readonly string[]): SandboxAnswer {
  const detail = `Authenticating with OAuth 2.0 User Context without the scope ${scopes.join(' ')} is forbidden for this endpoint.`;
  return problem(403, 'Unsupported Authentication', detail, `${TYPES}/unsupported-authentication`);
}

export interface Invalid {
  readonly message: string;
  readonly parameters: Readonly<Record<string, readonly string[]>>;
}

function invalidRequest(errors: readonly Invalid[]): SandboxAnswer {
  const shaped = errors.map(({ message, parameters }) => ({ parameters, message }));
  return problem(
    400,
    'Invalid Request',
    'One or more parameters to your request was invalid.',
    `${TYPES}/invalid-request`,
    { errors: shaped },
  );
}

export const invalid = (message: string, parameters: Invalid['parameters'] = {}) =>
  invalidRequest([{ message, parameters }]);

/** X refuses a field that its schema lacks, wherever the schema says `additionalProperties: false`. */
export function undefinedProperty(name: string): SandboxAnswer {
  const field = name.slice(0, 100);
  return invalid(`$.${field}: is not defined in the schema and the schema does not allow additional properties`, {
    [field]: [field],
  });
}

export const tooManyRequests = () => problem(429, 'Too Many Requests', 'Too Many Requests');

export const usageCapped = () =>
  problem(429, 'UsageCapExceeded', 'Usage cap exceeded: Monthly product cap', `${TYPES}/usage-capped`, {
    period: 'Monthly',
    scope: 'Product',
  });

export const creditsDepleted = () =>
  problem(
    402,
    'CreditsDepleted',
    'Your enrolled account [123] does not have any credits to fulfill this request.',
    `${TYPES}/credits`,
  );

export const clientNotEnrolled = () =>
  problem(
    403,
    'Client Forbidden',
    'Your account is not permitted to access this feature.',
    `${TYPES}/client-forbidden`,
    { reason: 'client-not-enrolled' },
  );

export const notFound = (path: string) =>
  problem(404, 'Not Found', `Nothing is at ${path}.`, `${TYPES}/resource-not-found`);

/** The shape of refusals of the token endpoints (RFC 6749, section 5.2). */
export function oauthError(status: number, error: string, description: string): SandboxAnswer {
  return json(status, { error, error_description: description });
}

export function withHeaders(answer: SandboxAnswer, headers: SandboxAnswer['headers']): SandboxAnswer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
