import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import type { Channel } from '#domain/channel/channel.ts';
import { connectSandboxAccount } from '#networks/connect.ts';
import { AnyNetwork, Id, Name } from './fields.ts';
import type { Operator } from './operator.ts';
import type { AdminParts } from './parts.ts';
import { procedure, Refused, refused, router } from './procedure.ts';

type Parts = Pick<AdminParts, 'clock' | 'ids' | 'sandbox' | 'connections'>;

const ConnectSandbox = z.strictObject({
  workspaceId: Id,
  network: AnyNetwork,
  name: Name,
  kind: z.string('must be a string').max(50).default(''),
  channelId: Id.optional(),
});
type ConnectSandbox = z.output<typeof ConnectSandbox>;

/** Nobody is sent there: the code is read from the sandbox's redirect. */
const REDIRECT_URI = 'http://127.0.0.1/channels/connected';

export function channelProcedures(operator: Operator, parts: Parts) {
  return router({
    connectSandbox: procedure.input(ConnectSandbox).mutation(({ input }) => connectSandbox(input, operator, parts)),
    disconnect: procedure
      .input(z.strictObject({ workspaceId: Id, channelId: Id, memberId: Id.nullable().default(null) }))
      .mutation(async ({ input: { workspaceId, channelId, memberId } }) => {
        await operator.order(workspaceId, { type: 'DisconnectChannel', channelId, memberId });
        // Should this fail: a second disconnect is done at once and forgets again.
        await parts.connections.forget(channelId);
        return { channelId };
      }),
  });
}

/**
 * The tokens are kept before the Channel says that it is connected: what is due the same moment finds them. A Channel that never
 * comes to be leaves a sealed pair that nobody looks up, hence the order is not the other way round.
 */
async function connectSandbox(input: ConnectSandbox, operator: Operator, { sandbox, connections, clock, ids }: Parts) {
  const { workspaceId, network, name, kind } = input;
  const auth = sandbox?.auths[network];
  if (sandbox === null) throw new TRPCError({ code: 'PRECONDITION_FAILED', message: 'channels.connectSandbox needs CRIER_NETWORKS=sandbox.' });
  if (auth === undefined) throw new TRPCError({ code: 'BAD_REQUEST', message: `network: ${network} is not there yet.` });
  const { channels } = await operator.workspace(workspaceId);
  const before = input.channelId === undefined ? null : known(channels, input.channelId, network);
  const account = { name, kind, ...(before !== null && { accountId: before.accountId }) };
  const connected = await connectSandboxAccount({ http: sandbox.http, auth, clock, ids, redirectUri: REDIRECT_URI, ...account });
  if (!connected.ok) {
    throw new TRPCError({ code: connected.refused ? 'UNPROCESSABLE_CONTENT' : 'SERVICE_UNAVAILABLE', message: `${network} was not connected: ${connected.detail}` });
  }
  const { tokens, profile } = connected;
  const channelId = before?.id ?? ids.uuid7(clock.now());
  await connections.save({ id: channelId, workspaceId, network }, tokens, profile);
  try {
    const { accountId, avatarUrl } = profile;
    await operator.order(workspaceId, { type: 'ConnectChannel', channelId, network, name, avatarUrl, accountId, kind: profile.kind });
  } catch (error) {
    // A live Channel's new tokens are as good as its old ones; and when nobody knows, it may be connected soon.
    if (isDefinite(error) && (before === null || before.state === 'not_connected')) await connections.forget(channelId);
    throw error;
  }
  return { channelId, accountId: profile.accountId };
}

function known(channels: Readonly<Record<string, Channel>>, channelId: string, network: string): Channel {
  const channel = channels[channelId];
  if (channel === undefined) throw refused({ code: 'not_found', message: 'There is no such Channel; leave channelId out to connect a new one.' });
  if (channel.network !== network) throw refused({ code: 'invalid_request', message: `network: the Channel is on ${channel.network}.` });
  return channel;
}

function isDefinite(error: unknown): boolean {
  return error instanceof TRPCError && error.cause instanceof Refused && error.cause.refusal.code !== 'outcome_unknown';
}
