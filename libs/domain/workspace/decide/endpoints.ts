import {
  isActive,
  MAX_ENDPOINTS,
  MAX_SECRETS,
  ROTATED_SECRET_MS,
  signing,
  type Endpoint,
  type Endpoints,
} from '../../webhook/endpoint.ts';
import type {
  DeleteEndpoint,
  RegisterEndpoint,
  ReplayDelivery,
  ResealEndpoint,
  RotateEndpointSecret,
  SendTestEvent,
} from '../commands.ts';
import { done, refuse, authorize, unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';
import type { WorkspaceState } from '../state.ts';

const NO_ENDPOINT = 'There is no such webhook endpoint in this Workspace.';
export const STOPPED_ENDPOINT =
  "This webhook endpoint was stopped when its key was revoked, its app's approval ended, or the Member behind it left the Workspace. Please register it again.";

function withEndpoints(state: WorkspaceState, endpoints: Endpoints): DecideResult {
  return done({ ...state, endpoints }, [{ kind: 'endpoints-changed' }]);
}

/**
 * One address may be registered several times: each is an endpoint of its own, with a secret and deliveries of its own.
 */
export function registerEndpoint({ state }: DecisionContext, command: RegisterEndpoint): DecideResult {
  const standing = authorize(state, command.credential, 'webhooks:manage');
  if (!standing.ok) return unchanged(state, standing);
  const { credential } = standing;
  if (credential === null)
    return refuse(state, 'forbidden', 'An endpoint is registered with a key, so that a Member stands behind it.');
  if (state.endpoints[command.endpointId])
    return refuse(state, 'invalid_request', 'There is an endpoint with this id already.');
  if (Object.keys(state.endpoints).length >= MAX_ENDPOINTS) {
    return refuse(
      state,
      'limit_reached',
      `A Workspace has ${MAX_ENDPOINTS} webhook endpoints at most, stopped ones included. Delete one that is not needed.`,
    );
  }
  const endpoint: Endpoint = {
    id: command.endpointId,
    url: command.url,
    events: command.events,
    keyId: credential.kind === 'key' ? credential.keyId : null,
    ...(credential.kind === 'app' && { approvalId: credential.approvalId }),
    memberId: standing.member.id,
    createdAt: command.issuedAt,
    secrets: [{ sealed: command.sealedSecret, until: null }],
    stoppedAt: null,
  };
  return withEndpoints(state, { ...state.endpoints, [endpoint.id]: endpoint });
}

export function deleteEndpoint({ state }: DecisionContext, command: DeleteEndpoint): DecideResult {
  const standing = authorize(state, command.credential, 'webhooks:manage');
  if (!standing.ok) return unchanged(state, standing);
  if (!state.endpoints[command.endpointId]) return refuse(state, 'not_found', NO_ENDPOINT);
  const { [command.endpointId]: _, ...others } = state.endpoints;
  return withEndpoints(state, others);
}

/** The old secret signs beside the new one for a day, so that receivers can change over without losing a delivery. */
export function rotateEndpointSecret({ state }: DecisionContext, command: RotateEndpointSecret): DecideResult {
  const standing = authorize(state, command.credential, 'webhooks:manage');
  if (!standing.ok) return unchanged(state, standing);
  const endpoint = state.endpoints[command.endpointId];
  if (!endpoint) return refuse(state, 'not_found', NO_ENDPOINT);
  const kept = signing(endpoint.secrets, command.issuedAt);
  if (kept.length >= MAX_SECRETS) {
    return refuse(
      state,
      'limit_reached',
      `The secret was rotated ${MAX_SECRETS - 1} times within a day, and all of those still sign. Try again later, or register a new endpoint.`,
    );
  }
  const before = kept.map(({ sealed, until }) => ({ sealed, until: until ?? command.issuedAt + ROTATED_SECRET_MS }));
  const secrets = [{ sealed: command.sealedSecret, until: null }, ...before];
  return withEndpoints(state, { ...state.endpoints, [endpoint.id]: { ...endpoint, secrets } });
}

/** By value, as a compare-and-set: a secret that was rotated meanwhile is the newer one, and stays. */
export function resealEndpoint({ state }: DecisionContext, command: ResealEndpoint): DecideResult {
  if (command.credential !== null) return refuse(state, 'forbidden', 'Only an operator has secrets sealed anew.');
  const endpoint = state.endpoints[command.endpointId];
  if (!endpoint) return refuse(state, 'not_found', NO_ENDPOINT);
  const sealedAnew = new Map(command.secrets.map(({ from, to }) => [from, to]));
  const secrets = endpoint.secrets.map(({ sealed, until }) => ({ sealed: sealedAnew.get(sealed) ?? sealed, until }));
  return withEndpoints(state, { ...state.endpoints, [endpoint.id]: { ...endpoint, secrets } });
}

/**
 * It changes nothing of the Workspace. It goes through a turn because only the state certainly has every revoked key:
 * ingress goes by a cache. Whether a delivery is this endpoint's is judged by the webhooks service.
 */
export function deliverToEndpoint({ state }: DecisionContext, command: SendTestEvent | ReplayDelivery): DecideResult {
  const standing = authorize(state, command.credential, 'webhooks:manage');
  if (!standing.ok) return unchanged(state, standing);
  const endpoint = state.endpoints[command.endpointId];
  if (!endpoint) return refuse(state, 'not_found', NO_ENDPOINT);
  if (!isActive(endpoint)) return refuse(state, 'not_found', STOPPED_ENDPOINT);
  return done(state, [{ kind: 'deliver', command }]);
}

/** Those that `isMeant`; null when there are none to stop. */
export function stopEndpoints(
  endpoints: Endpoints,
  isMeant: (endpoint: Endpoint) => boolean,
  now: number,
): Endpoints | null {
  const stopping = Object.values(endpoints).filter((endpoint) => endpoint.stoppedAt === null && isMeant(endpoint));
  if (stopping.length === 0) return null;
  return {
    ...endpoints,
    ...Object.fromEntries(stopping.map((endpoint) => [endpoint.id, { ...endpoint, stoppedAt: now }])),
  };
}
