import type { OutcomeType } from './outcome-type.ts';

/**
 * A secret's place with the endpoint; the secret itself is under a SecretBox, bound to the endpoint by `secretContext`.
 */
export interface EndpointSecret {
  readonly sealed: string;
  /** It signs until this instant; null: it is the current secret. */
  readonly until: number | null;
}

/**
 * An address that takes a Workspace's events. active -> stopped, for good, when its key or its app's approval ends,
 * as with the Member behind it; a deleted endpoint is removed from the state. Events go to active endpoints only.
 */
export interface Endpoint {
  readonly id: string;
  /** As it was given. */
  readonly url: string;
  readonly events: readonly OutcomeType[];
  /** The key that registered it; null: an app did. */
  readonly keyId: string | null;
  /** The approval of the app that registered it; absent: a key did. */
  readonly approvalId?: string;
  /** Behind the key or the approval. */
  readonly memberId: string;
  readonly createdAt: number;
  /** The current secret first, then those it replaced, newest first. */
  readonly secrets: readonly EndpointSecret[];
  readonly stoppedAt: number | null;
}

export type Endpoints = Readonly<Record<string, Endpoint>>;

export const MAX_ENDPOINTS = 10;
export const ROTATED_SECRET_MS = 86_400_000;
/** The current secret and those that sign beside it: each adds a signature to every delivery. */
export const MAX_SECRETS = 5;

/** What a secret of the endpoint is sealed for. */
export function secretContext(endpointId: string): string {
  return `webhook ${endpointId}`;
}

/** Of secrets, those that sign at this instant. */
export function signing(secrets: readonly EndpointSecret[], now: number): readonly EndpointSecret[] {
  return secrets.filter(({ until }) => until === null || now < until);
}

export function isActive(endpoint: Endpoint | undefined): endpoint is Endpoint {
  return endpoint !== undefined && endpoint.stoppedAt === null;
}

/** The endpoints that take an event of this type, in order of registering. */
export function listeners(endpoints: Endpoints, type: OutcomeType): readonly string[] {
  return Object.values(endpoints)
    .filter((endpoint) => isActive(endpoint) && endpoint.events.includes(type))
    .map(({ id }) => id);
}
