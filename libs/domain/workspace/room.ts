import type { Channel } from '../channel/channel.ts';
import { isActive } from '../webhook/endpoint.ts';
import type { RequestedCommand } from './commands.ts';
import type { ApiKey, Member, WorkspaceState } from './state.ts';

/** The state is read and written whole with every turn: below this nothing is left out of it. */
export const ROOMY_BYTES = 128 * 1024;
/**
 * Above this a Workspace takes no more Members, invitations, keys, apps, Channels and endpoints, so that reports on its
 * Posts always find room in the row that the state is in. 500 Channels with long names and 200 keys in use are less.
 */
export const MAX_STATE_BYTES = 366 * 1024;
/** Keys and Members whose end was so recent are kept: what they asked for may be on its way. */
const LATEST_KEPT = 20;
/** As long as Posts that name a Channel may be shown. */
const CHANNEL_KEPT_MS = 400 * 86_400_000;

/** Whether the command may make the state larger for good. Another round of a Channel does not. */
export function grows(command: Pick<RequestedCommand, 'type'>): boolean {
  switch (command.type) {
    case 'AddMember':
    case 'InviteMember':
    case 'AcceptInvitation':
    case 'ApproveApp':
    case 'CreateKey':
    case 'RegisterEndpoint':
    case 'RotateEndpointSecret':
    case 'SetChannelDefaults':
    case 'ConnectChannel':
      return true;
    default:
      return false;
  }
}

/**
 * The state, and of a large one without what can not be used any more: keys that were revoked, or expired and have no
 * endpoint that goes on, Members who were removed and have neither key nor app in it, and Channels that were
 * disconnected so long ago that no Post names them. Without this a Workspace that makes keys and revokes them would
 * come to its limit one day, with nothing left to remove.
 */
export function withRoom(state: WorkspaceState, now: number): WorkspaceState {
  if (JSON.stringify(state).length <= ROOMY_BYTES) return state;
  const named = new Set(Object.values(state.endpoints).flatMap((each) => (isActive(each) ? [each.keyId] : [])));
  const isOfNoUse = (key: ApiKey): boolean => key.revoked || (opensNothing(key, now) && !named.has(key.id));
  const keys = without(state.keys, oldest(state.keys, isOfNoUse));
  const holders = new Set([...Object.values(keys), ...Object.values(state.approvals)].map(({ memberId }) => memberId));
  const gone = oldest(state.members, (member) => member.removed && !holders.has(member.id));
  const written = Object.keys(state.members).slice(0, state.membershipsWritten);
  const isSwept = new Set(state.sweeps.flatMap(({ channelIds }) => channelIds));
  const ended = Object.values(state.channels).filter((channel) => !isSwept.has(channel.id) && isOver(channel, now));
  return {
    ...state,
    keys,
    members: without(state.members, gone),
    membershipsWritten: written.filter((id) => !gone.has(id)).length,
    channels: without(state.channels, new Set(ended.map(({ id }) => id))),
  };
}

/** No request is let in by it. An endpoint that it registered goes on if it expired, and stops if it was revoked. */
export function opensNothing({ revoked, limits }: ApiKey, now: number): boolean {
  return revoked || (limits?.expiresAt ?? Infinity) <= now;
}

function isOver({ state, lastDisconnect }: Channel, now: number): boolean {
  return state === 'not_connected' && lastDisconnect !== null && lastDisconnect.at + CHANNEL_KEPT_MS < now;
}

/** The ids of all that ended but the last ones, in the order in which they were made. */
function oldest<T extends ApiKey | Member>(
  all: Readonly<Record<string, T>>,
  hasEnded: (each: T) => boolean,
): ReadonlySet<string> {
  const ended = Object.values(all).filter(hasEnded);
  return new Set(ended.slice(0, -LATEST_KEPT).map(({ id }) => id));
}

function without<T>(all: Readonly<Record<string, T>>, ids: ReadonlySet<string>): Readonly<Record<string, T>> {
  if (ids.size === 0) return all;
  return Object.fromEntries(Object.entries(all).filter(([id]) => !ids.has(id)));
}
