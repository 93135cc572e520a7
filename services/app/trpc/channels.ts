import { z } from 'zod';
import { renderChannels } from '#domain/channel/render.ts';
import { liveChannels } from '#domain/channel/live.ts';
import type { Channel } from '#domain/channel/channel.ts';
import { NETWORKS, type Network } from '#domain/network.ts';
import { isoOf, type MediaUrl } from '#domain/post/render.ts';
import { lackOfRight } from '#domain/workspace/member-rights.ts';
import type { SignIns } from '#connections/sign-in.ts';
import { ChannelDefaults } from '#schemas/http/post-requests.ts';
import { SentId } from '#schemas/http/scalars.ts';
import type { ApiCall } from '#use-cases/caller.ts';
import type { WorkspaceReader } from '#use-cases/dependencies.ts';
import { eachPost, type EachPostOptions } from '#use-cases/each-post.ts';
import { getChannelOptions, type ChannelOptionsOptions } from '#use-cases/get-channel-options.ts';
import { done } from '#use-cases/outcome.ts';
import type { RequestTurns } from '#use-cases/request-turns.ts';
import type { SubmitCommandOptions } from '#use-cases/submit-command.ts';
import { command, workspaceOf } from './member-command.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { refused, router, valueOf } from './procedure.ts';

export interface ChannelProceduresOptions
  extends SubmitCommandOptions, EachPostOptions, Omit<ChannelOptionsOptions, 'workspaces'> {
  readonly turns: RequestTurns;
  readonly workspaces: WorkspaceReader;
  readonly mediaUrl: MediaUrl;
  readonly signIns: Pick<SignIns, 'begin'>;
  /** Those that this installation can connect. */
  readonly networks: readonly Network[];
  /** Without a slash at the end. */
  readonly publicUrl: () => string;
}

const OneChannel = z.object({ channelId: SentId });
const AnyNetwork = z.enum(NETWORKS, `must be one of ${NETWORKS.join(', ')}`);
/** Beyond this many the page says "more than". */
const MAX_COUNTED = 10_000;
const TWO_YEARS_MS = 2 * 366 * 86_400_000;

export function channelProcedures(member: MemberProcedure, options: ChannelProceduresOptions) {
  const { mediaUrl, networks } = options;
  return router({
    /** Live Channels, oldest first, and the Networks that this installation can connect. */
    list: member.query(async ({ ctx: { call } }) => {
      const { channels } = await workspaceOf(call, options);
      const bodies = new Map(renderChannels(channels, mediaUrl).map((body) => [body.id, body]));
      return {
        channels: liveChannels(channels).map(({ id, kind, defaults = {}, connectedAt }) => ({
          ...bodies.get(id)!,
          kind,
          defaults,
          connectedAt: isoOf(connectedAt),
        })),
        networks: [...networks],
      };
    }),
    /** Where the browser goes to sign in at the Network; it comes back with a new Channel. */
    connect: member
      .input(z.object({ network: AnyNetwork }))
      .mutation(({ ctx: { call }, input }) => begin(call, input.network, null, options)),
    reconnect: member.input(OneChannel).mutation(async ({ ctx: { call }, input }) => {
      const channel = (await workspaceOf(call, options)).channels[input.channelId];
      if (channel === undefined) throw refused(NO_CHANNEL);
      return begin(call, channel.network, channel, options);
    }),
    /** How many Variants that wait would be cancelled. `isCut`: there are more. */
    disconnectPreview: member.input(OneChannel).query(async ({ ctx: { call }, input: { channelId } }) => {
      if ((await workspaceOf(call, options)).channels[channelId] === undefined) throw refused(NO_CHANNEL);
      return valueOf(
        await options.turns.run('lists', call, async () => done(await countWaiting(call, channelId, options))),
      );
    }),
    disconnect: member.input(OneChannel).mutation(async ({ ctx: { call, membership }, input: { channelId } }) => {
      await command(call, { type: 'DisconnectChannel', channelId, memberId: membership.memberId }, options);
      return { channelId };
    }),
    /** The Channel's defaults, and what its Network lets the account choose right now. */
    options: member
      .input(OneChannel)
      .query(async ({ ctx: { call }, input }) => valueOf(await getChannelOptions(call, input.channelId, options))),
    setDefaults: member
      .input(z.object({ ...OneChannel.shape, defaults: ChannelDefaults }))
      .mutation(async ({ ctx: { call }, input: { channelId, defaults } }) => {
        await command(call, { type: 'SetChannelDefaults', channelId, defaults }, options);
        return { channelId, defaults };
      }),
  });
}

/** Begins a sign-in at the Network. Throws a refusal at once where the Member could not end it. */
async function begin(
  call: ApiCall,
  network: Network,
  before: Channel | null,
  { signIns, publicUrl, workspaces, networks }: ChannelProceduresOptions,
): Promise<{ readonly url: string; readonly expiresAt: string }> {
  const state = await workspaceOf(call, { workspaces });
  const asked = connecting(call, network, before);
  const { credential } = call;
  const caller = credential.kind === 'member' ? state.members[credential.memberId] : undefined;
  const lack = caller === undefined ? null : lackOfRight(state, caller, asked);
  if (lack !== null) throw refused({ code: 'forbidden', message: lack });
  if (!networks.includes(network))
    throw refused({
      code: 'invalid_request',
      message: `${network} is not set up on this installation. Ask the people who run it.`,
    });
  const { ticket, expiresAt } = await signIns.begin({
    workspaceId: call.workspaceId,
    network,
    reconnects: before === null ? null : { channelId: before.id, accountId: before.accountId },
    name: null,
    ...(credential.kind === 'member' && { memberId: credential.memberId }),
  });
  return { url: `${publicUrl()}/connect/${network}/start?ticket=${ticket}`, expiresAt: isoOf(expiresAt) };
}

/** A Disconnect may cancel thousands. */
async function countWaiting(
  call: ApiCall,
  channelId: string,
  { clock, ...options }: ChannelProceduresOptions,
): Promise<{ readonly cancels: number; readonly isCut: boolean }> {
  const now = clock.now();
  const range = { from: now - TWO_YEARS_MS, to: now + TWO_YEARS_MS, most: MAX_COUNTED, mostVariants: Infinity };
  let cancels = 0;
  const isCut = await eachPost(call, range, options, ({ variants }) => {
    cancels += variants.filter((each) => each.channelId === channelId && each.status === 'scheduled').length;
  });
  return { cancels, isCut };
}

const NO_CHANNEL = { code: 'not_found', message: 'There is no such Channel in this Workspace.' } as const;

/** The command that comes at the end of a sign-in, to judge at its beginning whether it would be refused. */
function connecting({ workspaceId, credential, requestId }: ApiCall, network: Network, before: Channel | null) {
  return {
    type: 'ConnectChannel',
    ...{ workspaceId, credential, requestId, issuedAt: 0, notAfter: 0, replyTo: '' },
    ...{ channelId: before?.id ?? '', network, name: '', avatarUrl: null, accountId: '', kind: '' },
  } as const;
}
