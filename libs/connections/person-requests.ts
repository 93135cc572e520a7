import type { Network } from '#domain/network.ts';
import type { EraseAccount, MarkChannel } from '#domain/workspace/commands.ts';
import { readSignedRequest } from '#networks/graph/signed-request.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { createConnectionRows, type StoredConnection } from '#tables/repositories/connections.ts';
import { createDataDeletions } from '#tables/repositories/data-deletions.ts';
import { createPersonChannels, type PersonChannel, type PersonChannels } from '#tables/repositories/person-channels.ts';
import { readHead } from '#tables/repositories/workspaces.ts';
import { erased, personIdOf, removePerson } from './end-connection.ts';

export interface PersonRequestsOptions {
  /** Appends a command to the mailbox of its Workspace; it is durable when this resolves. Rejects with `PortError`. */
  readonly sendCommand: (command: MarkChannel | EraseAccount) => Promise<void>;
  readonly store: TableStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly reporter: Reporter;
  /** Our app at each Network that sends such requests. */
  readonly apps: Readonly<Partial<Record<Network, PassingApp>>>;
}

/** An app that a Network passes on what people ask of. */
export interface PassingApp {
  /** The Network signs requests with it. */
  readonly secret: string;
  /** All whose Channels are connected by this app. It has one address for requests, whatever Network they are about. */
  readonly networks: readonly Network[];
}

/** What a person of a Network wants, as the Network signed it. */
export interface PersonRequest {
  readonly network: Network;
  readonly personId: string;
  /** When the person asked; milliseconds since the epoch. */
  readonly requestedAt: number;
}

export type DeletionStatus = 'under way' | 'done';

/** The Networks' instants are whole seconds. */
const SECOND_MS = 1_000;
/** Far more than what is left of a sign-in once its tokens are kept: its command is carried out within a minute. */
const CONNECTED_WITHIN_MS = 5 * 60_000;

/**
 * What people ask for at a Network, and the Network passes on: that our app may act for them no more, or that we delete
 * what we hold of them. Their Channels are found in whatever Workspaces they are. A person whom we do not know is
 * answered as any other, so that no answer says who has a Channel here. Every call rejects with `PortError`; sending it
 * again is harmless.
 */
export class PersonRequests {
  readonly #options: PersonRequestsOptions;

  constructor(options: PersonRequestsOptions) {
    this.#options = options;
  }

  /** Whether the Network sends such requests to this installation. */
  isServed(network: Network): boolean {
    return this.#options.apps[network] !== undefined;
  }

  /** null: it is not signed by the Network. */
  read(network: Network, signedRequest: string): PersonRequest | null {
    const { apps, clock, reporter } = this.#options;
    const read = readSignedRequest(signedRequest, apps[network]?.secret ?? '');
    if (read.kind === 'ok') {
      // The end of the second that it names, but not the future: a Channel may have been connected in the same second.
      const requestedAt = Math.min(clock.now(), read.issuedAt + SECOND_MS - 1);
      return { network, personId: read.userId, requestedAt };
    }
    reporter.report('person-request-refused', { network, reason: read.reason });
    return null;
  }

  /** The Channels of the person need a reconnect, unless they were connected since, or by another person. */
  async deauthorize(request: PersonRequest): Promise<void> {
    const channels = await this.#channelsOf(request);
    for (const { workspaceId, channelId } of channels)
      await this.#options.sendCommand({
        type: 'MarkChannel',
        workspaceId,
        channelId,
        state: 'needs_reconnect',
        seenAt: request.requestedAt,
      });
    this.#report('deauthorize', request, channels);
  }

  /**
   * Has what we hold of the person deleted, and resolves with the code under which its status is found. It is kept
   * before it is begun, so that each code that was answered is known.
   */
  async deleteData(request: PersonRequest): Promise<string> {
    const { network, requestedAt } = request;
    const channels = await this.#channelsOf(request);
    const code = this.#options.ids.token(16);
    await this.#deletions().keep(code, { network, requestedAt, channels });
    for (const channel of channels) {
      const { workspaceId, channelId } = channel;
      await this.#forgetUnnamed(channel, requestedAt);
      await this.#options.sendCommand({ type: 'EraseAccount', workspaceId, channelId, requestedAt });
    }
    this.#report('delete', request, channels);
    return code;
  }

  /**
   * Tokens are kept before their Channel is connected, so a process that dies in between leaves some that no Channel
   * names: no Disconnect ends them. Those of a sign-in that may be under way are left to it, and those of a Channel
   * that was disconnected to the order that ends them at the Network, too.
   */
  async #forgetUnnamed({ workspaceId, channelId, connectionId }: PersonChannel, requestedAt: number): Promise<void> {
    const { store, clock, ids } = this.#options;
    const rows = createConnectionRows(store);
    const stored = await rows.find(channelId, { serial: true });
    if (stored?.connectionId !== connectionId || stored.sealed === '') return;
    if (stored.issuedAt > Math.min(requestedAt, clock.now() - CONNECTED_WITHIN_MS)) return;
    const channel = (await readHead(store, workspaceId, { serial: true }))?.state.channels[channelId];
    if (channel?.state === 'not_connected' || channel?.connectionId === connectionId) return;
    await removePerson(this.#persons(), channelId, stored);
    await rows.replace(channelId, stored, erased(stored, clock.now()), ids.token());
  }

  /** null: no deletion of that Network has this code. */
  async deletionStatus(network: Network, code: string): Promise<DeletionStatus | null> {
    const deletion = await this.#deletions().find(code);
    if (deletion === null || deletion.network !== network) return null;
    const rows = createConnectionRows(this.#options.store);
    for (const { channelId, connectionId } of deletion.channels) {
      const connection = await rows.find(channelId);
      if (connection?.connectionId === connectionId && connection.sealed !== '') return 'under way';
    }
    return 'done';
  }

  async #channelsOf({ network, personId }: PersonRequest): Promise<readonly PersonChannel[]> {
    const networks = this.#options.apps[network]?.networks ?? [network];
    const found = await Promise.all(networks.map((each) => this.#persons().of({ network: each, personId })));
    const rows = createConnectionRows(this.#options.store);
    const channels: PersonChannel[] = [];
    for (const channel of found.flat()) {
      const stored = await rows.find(channel.channelId, { serial: true });
      // With the id of the tokens that are there: a sign-in writes its row of the person before it replaces them.
      const connectionId = stored?.connectionId ?? channel.connectionId;
      if (isStillOf(personId, channel, stored)) channels.push({ ...channel, connectionId });
    }
    return channels;
  }

  #persons(): PersonChannels {
    const { store, ids } = this.#options;
    return createPersonChannels(store, () => ids.token());
  }

  #deletions() {
    const { store, ids } = this.#options;
    return createDataDeletions(store, () => ids.token());
  }

  #report(request: 'deauthorize' | 'delete', { network }: PersonRequest, { length }: readonly PersonChannel[]): void {
    this.#options.reporter.report('person-request-accepted', { network, request, count: length });
  }
}

/**
 * Whether nobody else has connected the Channel again since: a row of the person stays where a process died before it
 * was removed. What is left of tokens that were removed does not say whose they were; their id does.
 */
function isStillOf(personId: string, channel: PersonChannel, stored: StoredConnection | null): boolean {
  if (stored === null) return true;
  return stored.sealed === '' ? stored.connectionId === channel.connectionId : personIdOf(stored) === personId;
}
