import { createTRPCClient, createTRPCUntypedClient, httpLink, TRPCClientError, type TRPCClient } from '@trpc/client';
import type { AdminRouter } from './router.ts';

export interface AdminAddress {
  /** e.g. `http://127.0.0.1:8081`. */
  readonly url: string;
  readonly token: string;
  /** Default: that of the system. */
  readonly fetch?: (input: string | URL | Request, init?: object) => Promise<Response>;
}

/** Every procedure, by the name under which it is called. */
export const ADMIN_PROCEDURES = [
  'workspaces.create',
  'workspaces.setPlan',
  'workspaces.addCredits',
  'workspaces.get',
  'workspaces.list',
  'posts.get',
  'variants.get',
  'shards.list',
  'groups.list',
  'members.add',
  'members.invite',
  'members.changeRole',
  'members.remove',
  'members.verifyEmail',
  'channels.connect',
  'channels.connectSandbox',
  'channels.setDefaults',
  'channels.disconnect',
  'keys.create',
  'keys.revoke',
  'audit.list',
  'apps.list',
  'apps.revoke',
  'oauth.rotateKeys',
  'endpoints.list',
  'failingEndpoints.list',
  'deliveries.get',
  'deliveries.replay',
  'clock.advance',
  'cluster.raiseFormat',
  'cluster.status',
  'publishing.hold',
  'publishing.release',
  'publishing.status',
  'secrets.reseal',
  'secrets.status',
  'parked.list',
  'parked.retry',
  'parked.skip',
  'deadLetters.list',
  'deadLetters.get',
  'deadLetters.redrive',
  'orphans.list',
  'orphans.remove',
  'tenants.top',
  'timers.count',
  'log.level',
  'log.status',
  'system.status',
] as const;

const QUERIES = /\.(?:get|list|count|status|top)$/;

export function isQuery(procedure: string): boolean {
  return QUERIES.test(procedure);
}

/** The procedures over HTTP, typed. Calls reject with `TRPCClientError`. */
export function createAdminClient(address: AdminAddress): TRPCClient<AdminRouter> {
  return createTRPCClient<AdminRouter>({ links: [linkTo(address)] });
}

export type AdminAnswer =
  | { readonly ok: true; readonly value: unknown }
  /** `reason`: a Workspace's refusal code, else tRPC's code; `UNREACHABLE` when no answer came. */
  | { readonly ok: false; readonly reason: string; readonly message: string };

/** Calls a procedure by name, for the command line. Never rejects for what a server does. */
export async function callAdmin(address: AdminAddress, procedure: string, input: unknown): Promise<AdminAnswer> {
  if (!(ADMIN_PROCEDURES as readonly string[]).includes(procedure)) {
    return {
      ok: false,
      reason: 'NOT_FOUND',
      message: `There is no procedure ${procedure}. There are: ${ADMIN_PROCEDURES.join(', ')}.`,
    };
  }
  const client = createTRPCUntypedClient<AdminRouter>({ links: [linkTo(address)] });
  try {
    return {
      ok: true,
      value: await (isQuery(procedure) ? client.query(procedure, input) : client.mutation(procedure, input)),
    };
  } catch (error) {
    if (error instanceof TRPCClientError) return refusalIn(error, address);
    throw error;
  }
}

function linkTo({ url, token, fetch }: AdminAddress) {
  return httpLink<AdminRouter>({
    url: `${url.replace(/\/+$/, '')}/trpc`,
    headers: { authorization: `Bearer ${token}` },
    ...(fetch !== undefined && { fetch }),
  });
}

function refusalIn(error: TRPCClientError<AdminRouter>, { url }: AdminAddress): AdminAnswer {
  const { data } = error;
  if (data == null)
    return { ok: false, reason: 'UNREACHABLE', message: `${url} does not answer as Crier's admin: ${causeOf(error)}` };
  return { ok: false, reason: data.reason ?? data.code, message: error.message };
}

/** fetch only says that it failed; the reason is in the cause. */
function causeOf(error: Error): string {
  const inner = error.cause instanceof Error ? error.cause : null;
  return inner === null
    ? error.message
    : inner.cause instanceof Error
      ? inner.cause.message || String((inner.cause as NodeJS.ErrnoException).code)
      : inner.message;
}
