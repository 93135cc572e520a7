import { keptMetadataOf, refusalOf, type ClientMetadata } from './client-metadata.ts';

/** An error of OAuth, as its endpoints answer it. */
export interface OAuthProblem {
  readonly status: number;
  readonly error: string;
  /** For the developer of a client; says what to do. */
  readonly description: string;
}

export type RegistrationBody =
  | { readonly metadata: ClientMetadata; readonly problem: null }
  | { readonly metadata: null; readonly problem: OAuthProblem };

/** What a client may register of what it sent. */
export function registrationOf(body: Buffer | null): RegistrationBody {
  if (body === null) return refused('invalid_client_metadata', 'The body is too large.', 413);
  const sent = jsonObjectOf(body.toString('utf8'));
  if (sent === null) return refused('invalid_client_metadata', 'The body must be a JSON object (RFC 7591).');
  const metadata = keptMetadataOf(sent);
  const refusal = refusalOf(metadata);
  return refusal === null ? { metadata, problem: null } : refused(refusal.error, refusal.description);
}

function refused(error: string, description: string, status = 400): RegistrationBody {
  return { metadata: null, problem: { status, error, description } };
}

function jsonObjectOf(text: string): ClientMetadata | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ClientMetadata) : null;
  } catch {
    return null;
  }
}
