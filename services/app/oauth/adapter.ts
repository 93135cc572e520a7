import assert from 'node:assert/strict';
import { errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import type { Clock } from '#ports/clock.ts';
import { ACCESS_TOKEN } from '#tables/repositories/oauth-records.ts';
import type { Approvals } from './approvals.ts';
import type { RecordStore, RecordEntry } from './record-store.ts';
import { OFFLINE_ACCESS, permissionsOf, type Resources } from './resources.ts';

export interface RecordAdapterOptions {
  readonly records: RecordStore;
  readonly approvals: Approvals;
  readonly resources: Resources;
  readonly clock: Pick<Clock, 'now'>;
  /** Hears of each request that a person decided about. */
  readonly interactionEnded: (id: string) => void;
}

/** A client that registered itself is kept this long without an approval. */
const UNAPPROVED_CLIENT_MS = 86_400_000;
/**
 * How long a refresh token is good again and again after its first use: processes of one client race for it, and
 * answers get lost.
 */
const REFRESH_GRACE_MS = 60_000;

/**
 * The library's storage, by the name of its model. It keeps no sessions, since who is signed in is not its business,
 * and no grants: a grant is an approval, and the Workspace is its truth. Codes and tokens are found only while their
 * approval lives, so ending it ends them all at once, without an index of them.
 */
export function adapterOf(options: RecordAdapterOptions): (model: string) => Adapter {
  return (model) => {
    if (model === 'Session') return NO_SESSIONS;
    if (model === 'Grant') return grantAdapter(options);
    return recordAdapter(model, options);
  };
}

const NOTHING: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  // Every token of a grant ends with its approval, which `destroy` of the grant ends.
  revokeByGrantId: async () => {},
};

const NO_SESSIONS = NOTHING;

function grantAdapter({ approvals, resources }: RecordAdapterOptions): Adapter {
  return {
    ...NOTHING,
    find: async (id) => {
      const approval = await approvals.live(id);
      if (approval === null) return undefined;
      const { accountId, clientId } = approval;
      const scope = approval.permissions.join(' ');
      return {
        jti: id,
        kind: 'Grant',
        accountId,
        clientId,
        openid: { scope: OFFLINE_ACCESS },
        resources: { [resources.mcp]: scope, [resources.api]: scope },
      } as AdapterPayload;
    },
    destroy: (id) => approvals.end(id),
  };
}

function recordAdapter(model: string, options: RecordAdapterOptions): Adapter {
  const { records, approvals } = options;
  return {
    ...NOTHING,
    upsert: async (id, { jti: _, ...payload }, expiresIn) => {
      const saved = await records.save(model, id, {
        payload,
        lifeMs: model === 'Client' ? UNAPPROVED_CLIENT_MS : secondsOf(expiresIn) * 1000,
        approvalId: payload.grantId ?? null,
        access: model === ACCESS_TOKEN ? accessOf(payload) : null,
      });
      // Only an interaction is written again; one that ended meanwhile has sent its browser on already.
      if (!saved) throw new errors.SessionNotFound('the request was answered already');
    },
    find: async (id) => {
      const entry = await records.find(model, id);
      if (entry === null) return undefined;
      if (model === 'Client') return entry.payload;
      if (entry.approvalId !== null && (await approvals.live(entry.approvalId)) === null) return undefined;
      return { ...entry.payload, jti: id, ...consumedOf(model, entry, options) };
    },
    consume: (id) => consume(model, id, options),
    destroy: async (id) => {
      const removed = await records.remove(model, id);
      // Of two requests that finish one interaction, one gets a code.
      if (model === 'Interaction') options.interactionEnded(id);
      if (!removed && model === 'Interaction') throw new errors.SessionNotFound('the request was answered already');
    },
  };
}

/** The library checks and consumes in two steps; here the second step decides, so that replicas can not both pass. */
async function consume(model: string, id: string, options: RecordAdapterOptions): Promise<void> {
  const { records, approvals } = options;
  const entry = await records.find(model, id);
  const consumption = await records.consume(model, id);
  if (consumption.outcome === 'first') return;
  if (consumption.outcome === 'again') {
    if (isGraced(model, consumption.firstAt, options)) return;
    if (entry?.approvalId != null) await approvals.end(entry.approvalId);
  }
  throw new errors.InvalidGrant('it was used already');
}

function consumedOf(model: string, { consumedAt }: RecordEntry, options: RecordAdapterOptions): { consumed?: number } {
  if (consumedAt === null || isGraced(model, consumedAt, options)) return {};
  return { consumed: Math.floor(consumedAt / 1000) };
}

function isGraced(model: string, firstAt: number, { clock }: RecordAdapterOptions): boolean {
  return model === 'RefreshToken' && clock.now() <= firstAt + REFRESH_GRACE_MS;
}

function accessOf({ aud, scope }: AdapterPayload) {
  assert(typeof aud === 'string', 'an access token is for one resource');
  return { resource: aud, permissions: permissionsOf(scope) };
}

function secondsOf(expiresIn: number | undefined): number {
  assert(expiresIn !== undefined && expiresIn > 0, 'every record has a life');
  return expiresIn;
}
