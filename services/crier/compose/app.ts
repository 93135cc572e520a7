import { resolve } from 'node:path';
import { makeSigningKey } from '#adapters/node-crypto/signing-key.ts';
import { createOperatorCommands } from '#commands/operator-command.ts';
import type { FrontDoor } from '#http-server/front-door.ts';
import type { ListeningService } from '#runtime/listening.ts';
import type { MailQueue } from '#services/app/people/mail-queue.ts';
import { createPeople } from '#services/app/people/people.ts';
import { createAppDoor, createAppService, type AppDoorOptions } from '#services/app/service.ts';
import type { TrpcEndpointOptions } from '#services/app/trpc/endpoint.ts';
import type { Network } from '#domain/network.ts';
import { RateLimiter } from '#rate-limit/rate-limiter.ts';
import { atWallTime } from '#rate-limit/wall-time.ts';
import { readLastUses } from '#tables/repositories/credential-uses.ts';
import { listAudit } from '#tables/repositories/audit.ts';
import { createAuditCursors } from '#use-cases/list-audit.ts';
import type { DoorParts } from '#use-cases/door-parts.ts';
import { findApproval } from '#tables/repositories/approvals.ts';
import { findEndedApprovals } from '#tables/repositories/ended-approvals.ts';
import { listMemberships } from '#tables/repositories/memberships.ts';
import { OAuthKeys } from '#tables/repositories/oauth-keys.ts';
import { readChanges, readVersion } from '#tables/repositories/recent-changes.ts';
import { createRequestRows } from '#tables/repositories/requests.ts';
import { createPaidBilling } from './billing.ts';
import { credentialUsesOf } from './credential-uses.ts';
import type { IngressPorts } from './ingress.ts';
import { createInvitationMail } from './mail.ts';
import type { ProcessCore } from './process-core.ts';

/** Where `make app` writes. */
const BUILT_APP = resolve(import.meta.dirname, '../../../.cache/app');

export interface AppRole {
  /** For ingress to take in, where this process has that role too. */
  readonly door: FrontDoor;
  /** Null where ingress listens for it. */
  readonly service: ListeningService | null;
  /** The address of a link that signs in as the owner of the demo Workspace, once. Rejects with `PortError`. */
  demoLink(email: string): Promise<string>;
}

export interface AppRoleOptions
  extends
    IngressPorts,
    Pick<TrpcEndpointOptions, 'judge' | 'videosOff' | 'signIns' | 'advanceClock' | 'publishingHolds'> {
  /** Null where nobody can be sent a link. */
  readonly mail: MailQueue | null;
  readonly version: string;
  /** Whether this process has the sandbox Networks and their pages. */
  readonly servesSandbox: boolean;
  /** Shared with ingress, where this process has that role too. */
  readonly doorParts: DoorParts;
  /** Those that this installation can connect. */
  readonly networks: readonly Network[];
}

/** Null where the role is off. */
export async function createAppRole(core: ProcessCore, parts: AppRoleOptions): Promise<AppRole | null> {
  const { config, ports, addresses, inFlight, tls } = core;
  if (!config.roles.includes('app')) return null;
  const { mail } = parts;
  const { publicUrl, mediaUrl } = addresses;
  const options = { ...ports, publicUrl };
  const rows = appRowsOf(core);
  const people = createPeople({ ...options, ...rows, mail, signUpOpen: config.signUp === 'open' });
  const paid = await createPaidBilling(core, rows);
  const billing = paid?.billing ?? null;
  const trpc = trpcOptionsOf(core, parts, { ...rows, sessions: people.sessions, billing });
  const door = createAppDoor({
    ...options,
    ...rows,
    people,
    trpc,
    paid,
    mediaUrl,
    folder: BUILT_APP,
    changes: changesOf(core),
  });
  const { demoLink } = people;
  if (config.roles.includes('ingress')) return { door, service: null, demoLink };
  const { host, port, trustedProxies, hstsSeconds } = config;
  const listening = { host, port, tls, trustedProxies, hstsSeconds, inFlight };
  return { door, service: createAppService(door, { ...options, ...listening }), demoLink };
}

/** How many calls a Member's pages may make, beside the requests of a key: each view asks for several things. */
const CALLS_OF_MEMBER = 10;

function trpcOptionsOf(
  { config, engine, ports, addresses }: ProcessCore,
  { mail, version, networks, servesSandbox, doorParts, ...parts }: AppRoleOptions,
  rows: ReturnType<typeof appRowsOf> & Pick<TrpcEndpointOptions, 'sessions' | 'billing'>,
): AppDoorOptions['trpc'] {
  const { publicUrl, internalUrl, sandboxUrl } = addresses;
  // Where another process serves it, only a setting says where people find it.
  const isFound = servesSandbox || config.sandboxUrl !== null || config.sandboxPublicUrl !== null;
  const { store, clock, ids } = ports;
  const callsPerMinute = config.requestsPerMinute * CALLS_OF_MEMBER;
  const limiter = { rows: rows.requests, clock: atWallTime(clock), ids, limit: callsPerMinute };
  return {
    ...parts,
    ...rows,
    ...doorParts,
    publicUrl: () => publicUrl,
    replyTo: internalUrl,
    networks,
    installation: {
      version,
      publicUrl,
      sandbox: config.networks === 'sandbox',
      sandboxUrl: config.networks === 'sandbox' && isFound ? sandboxUrl : null,
      advancesTime: parts.advanceClock !== null,
      billing: config.billing,
      signUpOpen: config.signUp === 'open',
    },
    memberLimiter: callsPerMinute === 0 ? null : new RateLimiter(limiter),
    mailInvitation: createInvitationMail(ports, mail, publicUrl),
    audit: (workspaceId, filter) => listAudit(store, workspaceId, filter),
    auditCursors: createAuditCursors(engine.secrets.secret, config.previousSecrets),
    lastUses: (credentialIds) => readLastUses(store, credentialIds),
  };
}

function changesOf({ ports: { store } }: ProcessCore): AppDoorOptions['changes'] {
  return {
    read: (workspaceId, range) => readChanges(store, workspaceId, range),
    version: (workspaceId) => readVersion(store, workspaceId),
  };
}

/** What the role reads, writes and asks of Workspaces. */
function appRowsOf({ ports, requests, addresses }: ProcessCore) {
  const { store, clock, ids } = ports;
  const uses = credentialUsesOf(ports);
  return {
    keys: new OAuthKeys({ ...ports, makeSigningKey }),
    requests: createRequestRows(store),
    memberships: (accountId: string) => listMemberships(store, accountId),
    findApproval: (approvalId: string) => findApproval(store, approvalId),
    endedApprovals: (workspaceId: string) => findEndedApprovals(store, workspaceId, clock.now()),
    sendCommand: createOperatorCommands({
      request: requests.request,
      clock,
      ids,
      replyTo: addresses.internalUrl,
      door: 'app',
    }),
    noteUse: (approvalId: string) => uses.noteUse(approvalId),
  };
}
