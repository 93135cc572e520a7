import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import type { Channel } from '#domain/channel/channel.ts';
import type { Network } from '#domain/network.ts';
import { approveAtSandbox, chosenOf } from '#connections/connect.ts';
import type { ConnectedChannel, SignInProblem, SignInRequest } from '#connections/sign-in.ts';
import { ChannelDefaults } from '#schemas/http/post-requests.ts';
import { AnyNetwork, Id, Name } from './fields.ts';
import type { Operator } from './operator.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, refused, router } from './procedure.ts';

type ChannelProcedureOptions = Pick<AdminOptions, 'sandbox' | 'networks' | 'signIns' | 'publicUrl'>;

const ConnectSandbox = z.strictObject({
  workspaceId: Id,
  network: AnyNetwork,
  name: Name,
  kind: z.string('must be a string').max(50).default(''),
  channelId: Id.optional(),
});
/** At a real Network a person chooses who sees a post; a trial must not begin with that. */
const SANDBOX_DEFAULTS: Readonly<Partial<Record<Network, Pick<SignInRequest, 'defaults'>>>> = {
  tiktok: { defaults: { privacy: 'public' } },
};

type ConnectSandbox = z.output<typeof ConnectSandbox>;

const Connect = z.strictObject({
  workspaceId: Id,
  network: AnyNetwork,
  name: Name.nullable().default(null),
  channelId: Id.nullable().default(null),
});
type Connect = z.output<typeof Connect>;

export function channelProcedures(operator: Operator, options: ChannelProcedureOptions) {
  return router({
    connect: procedure.input(Connect).mutation(({ input }) => connect(input, operator, options)),
    connectSandbox: procedure.input(ConnectSandbox).mutation(({ input }) => connectSandbox(input, operator, options)),
    setDefaults: procedure
      .input(z.strictObject({ workspaceId: Id, channelId: Id, defaults: ChannelDefaults }))
      .mutation(async ({ input: { workspaceId, channelId, defaults } }) => {
        await operator.command(workspaceId, { type: 'SetChannelDefaults', channelId, defaults });
        return { channelId, defaults };
      }),
    disconnect: procedure
      .input(z.strictObject({ workspaceId: Id, channelId: Id, memberId: Id.nullable().default(null) }))
      .mutation(async ({ input: { workspaceId, channelId, memberId } }) => {
        await operator.command(workspaceId, { type: 'DisconnectChannel', channelId, memberId });
        return { channelId };
      }),
  });
}

/** A link for the person who owns the account. */
async function connect(
  input: Connect,
  operator: Operator,
  { signIns, networks, publicUrl, sandbox }: ChannelProcedureOptions,
) {
  const { workspaceId, network, name } = input;
  if (!networks.includes(network)) {
    const variable = `CRIER_${network.toUpperCase()}_CLIENT`;
    const fix = sandbox === null ? ` Set ${variable}_ID and ${variable}_SECRET to those of your app there.` : '';
    throw new TRPCError({
      code: 'BAD_REQUEST',
      message: `network: ${network} is not set up on this installation.${fix}`,
    });
  }
  const { channels } = await operator.workspace(workspaceId);
  const before = input.channelId === null ? null : known(channels, input.channelId, network);
  const { ticket, expiresAt } = await signIns.begin({ workspaceId, network, reconnects: reconnectsOf(before), name });
  return {
    connectUrl: `${publicUrl}/connect/${network}/start?ticket=${ticket}`,
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

/** Walks the sign-in of `connect` without a person: the sandbox needs no consent. */
async function connectSandbox(
  input: ConnectSandbox,
  operator: Operator,
  { signIns, sandbox, networks }: ChannelProcedureOptions,
) {
  const { workspaceId, network, name, kind } = input;
  if (sandbox === null)
    throw new TRPCError({
      code: 'PRECONDITION_FAILED',
      message: 'channels.connectSandbox needs CRIER_NETWORKS=sandbox.',
    });
  if (!networks.includes(network))
    throw new TRPCError({ code: 'BAD_REQUEST', message: `network: ${network} is not there yet.` });
  const { channels } = await operator.workspace(workspaceId);
  const before = input.channelId === undefined ? null : known(channels, input.channelId, network);
  const account = { name, kind, ...(before !== null && { accountId: before.accountId }) };
  const { ticket } = await signIns.begin({
    workspaceId,
    network,
    reconnects: reconnectsOf(before),
    name,
    ...SANDBOX_DEFAULTS[network],
  });
  const started = settled(await signIns.start(ticket), network);
  const approved = await approveAtSandbox(sandbox.http, started.authorizeUrl, account);
  if (!approved.ok) throw notConnected(network, approved.detail, approved.refused);
  const { browserKey } = started;
  let finished = settled(
    await signIns.finish({ network, browserKey, state: approved.state, code: approved.code, error: '' }),
    network,
  );
  if (finished.kind === 'choose') {
    const chosen = chosenOf(finished.accounts, account);
    if (chosen === undefined) throw notConnected(network, `signed in, but not to ${name}`, true);
    finished = settled(
      await signIns.choose({ state: approved.state, browserKey, accountIds: [chosen.accountId] }),
      network,
    );
  }
  const [{ channelId, accountId }] = finished.channels as [ConnectedChannel];
  return { channelId, accountId };
}

function reconnectsOf(channel: Channel | null): { readonly channelId: string; readonly accountId: string } | null {
  return channel === null ? null : { channelId: channel.id, accountId: channel.accountId };
}

function settled<T extends { readonly kind: string }>(answer: T | SignInProblem, network: Network): T {
  if (answer.kind !== 'problem') return answer as T;
  const { refusal, message, passing } = answer as SignInProblem;
  throw refusal === undefined ? notConnected(network, message, !passing) : refused(refusal);
}

function notConnected(network: Network, detail: string, isRefused: boolean): TRPCError {
  return new TRPCError({
    code: isRefused ? 'UNPROCESSABLE_CONTENT' : 'SERVICE_UNAVAILABLE',
    message: `${network} was not connected: ${detail}`,
  });
}

function known(channels: Readonly<Record<string, Channel>>, channelId: string, network: string): Channel {
  const channel = channels[channelId];
  if (channel === undefined)
    throw refused({
      code: 'not_found',
      message: 'There is no such Channel; leave channelId out to connect a new one.',
    });
  if (channel.network !== network)
    throw refused({ code: 'invalid_request', message: `network: the Channel is on ${channel.network}.` });
  return channel;
}
