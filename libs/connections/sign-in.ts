import { hash, timingSafeEqual } from 'node:crypto';
import type { Network } from '#domain/network.ts';
import type { ChannelDefaults } from '#domain/post/channel-options.ts';
import type { Refusal } from '#domain/workspace/results.ts';
import type { Clock } from '#ports/clock.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import {
  findSignIn,
  moveSignIn,
  type OfferedAccount,
  type SignInStage,
  type StoredSignIn,
} from '#tables/repositories/sign-ins.ts';
import type { ConnectableAccount, NetworkAuth } from '#networks/contract/adapter.ts';
import { connectChannel, type ConnectChannelOptions } from './connect-channel.ts';

export interface SignInOptions extends ConnectChannelOptions {
  readonly secretBox: SecretBox;
  readonly http: HttpClient;
  readonly auths: Readonly<Partial<Record<Network, NetworkAuth>>>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly reporter: Reporter;
  /** Where Networks send people back to, for each: registered with them, so always the same. */
  readonly redirectUri: (network: Network) => string;
}

export interface SignInRequest {
  readonly workspaceId: string;
  readonly network: Network;
  /** Of the Channel to connect again, and of its account; null: new Channels. */
  readonly reconnects: { readonly channelId: string; readonly accountId: string } | null;
  readonly name: string | null;
  /** Of new Channels; left out: none. */
  readonly defaults?: ChannelDefaults;
  /** The Member who connects; left out: an operator. */
  readonly memberId?: string;
}

export interface ConnectedChannel {
  readonly channelId: string;
  readonly accountId: string;
  readonly name: string;
}

/**
 * `message` is for the person who signs in. `passing`: the same may work later. `refusal`: the Workspace's own, where
 * it is one. `isUnknown`: what was shown opens no sign-in that there is: it may be a guess.
 */
export interface SignInProblem {
  readonly kind: 'problem';
  readonly message: string;
  readonly passing: boolean;
  readonly refusal?: Refusal;
  readonly isUnknown?: boolean;
}
/** What a person is told before anything happens. `leadsTo`: origin of the Network's own page. */
export interface AskedSignIn {
  readonly kind: 'asked';
  readonly network: Network;
  readonly workspaceId: string;
  /** A Channel that is there is connected again. */
  readonly isReconnect: boolean;
  readonly leadsTo: string;
}
export type SignInStart = { readonly kind: 'started'; readonly authorizeUrl: string; readonly browserKey: string };
export type SignInCompletion = { readonly kind: 'connected'; readonly channels: readonly ConnectedChannel[] };
export type AccountChoice = { readonly kind: 'choose'; readonly accounts: readonly OfferedAccount[] };

export interface SignInCallback {
  readonly network: Network;
  readonly state: string;
  /** What `start` gave to this browser. */
  readonly browserKey: string;
  /** null: the person said no, or the Network did; `error` has its word. */
  readonly code: string | null;
  readonly error: string;
  /** The IP address of the browser, for the audit; left out: not known. */
  readonly address?: string | null | undefined;
}

const LIFE_MS = 15 * 60_000;
const problem = (message: string, passing = false): SignInProblem => ({ kind: 'problem', message, passing });
const STALE: SignInProblem = {
  ...problem('This sign-in is over, or was begun in another browser. Ask for a new link.'),
  isUnknown: true,
};

/**
 * Connecting Channels the way a person does: a link is asked for (`begin`), opened (`look`: nothing happens), followed
 * (`start`: off to the Network, with a state, a PKCE secret and a key that only this browser keeps), come back from
 * (`finish`), and where the account is one of several, chosen (`choose`). A link is good for 15 minutes and for one
 * sign-in. All of it is kept in the store: any process can take the next step. Every call rejects with `PortError`.
 */
export class SignIns {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  async begin(request: SignInRequest): Promise<{ readonly ticket: string; readonly expiresAt: number }> {
    const { store, clock, ids } = this.#options;
    const id = ids.token(16);
    const secret = ids.token();
    const expiresAt = clock.now() + LIFE_MS;
    const next = { ...request, ticketHash: digest(secret), expiresAt, at: { stage: 'asked' } } as const;
    const isNew = await moveSignIn(store, id, { over: null, next, token: ids.token() });
    if (!isNew) throw new Error('an id was drawn twice');
    return { ticket: `${id}.${secret}`, expiresAt };
  }

  /** What the link is for. Changes nothing: programs that look at mail and chats open links, too. */
  async look(ticket: string): Promise<AskedSignIn | SignInProblem> {
    const asked = await this.#asked(ticket);
    if (asked.kind === 'problem') return asked;
    const { workspaceId, network, reconnects } = asked.stored;
    const url = asked.auth.authorizeUrl({ redirectUri: this.#options.redirectUri(network), state: '', verifier: '' });
    return { kind: 'asked', network, workspaceId, isReconnect: reconnects !== null, leadsTo: new URL(url).origin };
  }

  /** May be called again, for example when the button is pressed twice: the last one counts. */
  async start(ticket: string): Promise<SignInStart | SignInProblem> {
    const { ids, secretBox, redirectUri } = this.#options;
    const asked = await this.#asked(ticket);
    if (asked.kind === 'problem') return asked;
    const { id, stored, auth } = asked;
    const [stateSecret, browserKey, verifier] = [ids.token(), ids.token(), ids.token(48)];
    const sealedVerifier = secretBox.seal(verifier, id);
    const moved = await this.#move(id, stored, {
      stage: 'started',
      stateHash: digest(stateSecret),
      browserHash: digest(browserKey),
      sealedVerifier,
    });
    if (!moved) return STALE;
    const authorizeUrl = auth.authorizeUrl({
      redirectUri: redirectUri(stored.network),
      state: `${id}.${stateSecret}`,
      verifier,
    });
    return { kind: 'started', authorizeUrl, browserKey };
  }

  async #asked(
    ticket: string,
  ): Promise<
    | { readonly kind: 'asked'; readonly id: string; readonly stored: StoredSignIn; readonly auth: NetworkAuth }
    | SignInProblem
  > {
    const { id, secret } = parted(ticket);
    const stored = await this.#live(id);
    if (
      stored === null ||
      !matches(secret, stored.ticketHash) ||
      (stored.at.stage !== 'asked' && stored.at.stage !== 'started')
    )
      return STALE;
    const auth = this.#options.auths[stored.network];
    return auth === undefined
      ? problem(`${stored.network} is not set up on this installation.`)
      : { kind: 'asked', id, stored, auth };
  }

  /** A code is exchanged by one caller only, whatever comes back how often. */
  async finish({
    network,
    state,
    browserKey,
    code,
    error,
    address = null,
  }: SignInCallback): Promise<SignInCompletion | AccountChoice | SignInProblem> {
    const { auths, secretBox, http, clock, redirectUri } = this.#options;
    const { id, secret } = parted(state);
    const stored = await this.#live(id);
    if (stored === null || stored.network !== network || stored.at.stage !== 'started') return STALE;
    const { stateHash, browserHash, sealedVerifier } = stored.at;
    if (!matches(secret, stateHash) || !matches(browserKey, browserHash)) return STALE;
    if (code === null)
      return problem(`${network} did not give access${error === '' ? '' : ` (${error})`}. Nothing was connected.`);
    const auth = auths[network];
    if (auth === undefined) return problem(`${network} is not set up on this installation.`);
    const exchanging = await this.#move(id, stored, { stage: 'exchanging' });
    if (!exchanging) return STALE;
    const verifier = secretBox.open(sealedVerifier, id);
    const tokens = await auth.exchange(http, { code, redirectUri: redirectUri(network), verifier, now: clock.now() });
    if (tokens.kind !== 'ok') return this.#refused(network, tokens);
    const accounts = await auth.accounts(http, tokens.value, clock.now());
    if (accounts.kind !== 'ok') return this.#refused(network, accounts);
    return this.#offer(id, exchanging, accounts.value, { browserHash, address });
  }

  /** Connects the accounts chosen of those that `finish` offered. */
  async choose(choice: {
    readonly state: string;
    readonly browserKey: string;
    readonly accountIds: readonly string[];
    readonly address?: string | null | undefined;
  }): Promise<SignInCompletion | SignInProblem> {
    const { id } = parted(choice.state);
    const stored = await this.#live(id);
    if (stored === null || stored.at.stage !== 'choosing' || !matches(choice.browserKey, stored.at.browserHash))
      return STALE;
    const offered = JSON.parse(
      this.#options.secretBox.open(stored.at.sealedAccounts, id),
    ) as readonly ConnectableAccount[];
    const chosen = offered.filter(({ accountId }) => choice.accountIds.includes(accountId));
    if (chosen.length === 0) return problem('Choose at least one account.', true);
    return this.#connect(id, stored, chosen, choice.address ?? null);
  }

  /** Where the Member goes on who began the sign-in in the app; null: nobody did, or it is over for long. */
  async begunIn(state: string): Promise<{ readonly workspaceId: string } | null> {
    const stored = await this.#live(parted(state).id);
    return stored?.memberId === undefined ? null : { workspaceId: stored.workspaceId };
  }

  async #offer(
    id: string,
    stored: StoredSignIn,
    accounts: readonly ConnectableAccount[],
    { browserHash, address }: { readonly browserHash: string; readonly address: string | null },
  ): Promise<SignInCompletion | AccountChoice | SignInProblem> {
    const { network, reconnects } = stored;
    if (reconnects !== null) {
      const same = accounts.filter(({ accountId }) => accountId === reconnects.accountId);
      return same.length > 0
        ? this.#connect(id, stored, same, address)
        : problem(`That is another account of ${network} than the Channel's. Sign in to the same one.`);
    }
    const [only, ...others] = accounts;
    if (only === undefined)
      return problem(
        `${network} named no account that may be published to. Allow at least one, with every permission.`,
      );
    if (others.length === 0) return this.#connect(id, stored, [only], address);
    const offered = accounts.map(({ accountId, name, username }) => ({ accountId, name, username }));
    const sealedAccounts = this.#options.secretBox.seal(JSON.stringify(accounts), id);
    const kept = await this.#move(id, stored, { stage: 'choosing', browserHash, sealedAccounts, offered });
    return kept ? { kind: 'choose', accounts: offered } : STALE;
  }

  async #connect(
    id: string,
    stored: StoredSignIn,
    accounts: readonly ConnectableAccount[],
    address: string | null,
  ): Promise<SignInCompletion | SignInProblem> {
    const { ids, clock, reporter } = this.#options;
    const { workspaceId, network, reconnects, defaults, memberId } = stored;
    if (!(await this.#move(id, stored, { stage: 'done' }))) return STALE;
    const channels: ConnectedChannel[] = [];
    for (const account of accounts) {
      const name = (accounts.length === 1 ? stored.name : null) ?? account.name;
      const channelId = reconnects?.channelId ?? ids.uuid7(clock.now());
      const result = await connectChannel(
        {
          ...{ workspaceId, network, channelId, name },
          ...(defaults && { defaults }),
          ...(memberId !== undefined && { by: { memberId, address } }),
        },
        account,
        this.#options,
      );
      if (!result.ok) {
        const before =
          channels.length === 0 ? '' : ` Connected before that: ${channels.map((each) => each.name).join(', ')}.`;
        const message = `${name} was not connected: ${result.message}${before}`;
        return { kind: 'problem', message, passing: result.code === 'outcome_unknown', refusal: result };
      }
      channels.push({ channelId, accountId: account.accountId, name });
    }
    reporter.report('channels-connected', { network, workspaceId, count: channels.length });
    return { kind: 'connected', channels };
  }

  #refused(
    network: Network,
    answer: { readonly kind: 'refused' | 'unavailable'; readonly summary: { readonly detail: string } },
  ): SignInProblem {
    return problem(`${network} was not connected: ${answer.summary.detail}`, answer.kind === 'unavailable');
  }

  async #live(id: string): Promise<StoredSignIn | null> {
    if (id === '') return null;
    const stored = await findSignIn(this.#options.store, id);
    return stored === null || this.#options.clock.now() >= stored.expiresAt ? null : stored;
  }

  async #move(id: string, { version, ...over }: StoredSignIn, at: SignInStage): Promise<StoredSignIn | null> {
    const next = { ...over, at };
    const { store, ids } = this.#options;
    const moved = await moveSignIn(store, id, { over: { ...over, version }, next, token: ids.token() });
    return moved ? { ...next, version: version + 1 } : null;
  }
}

function parted(token: string): { readonly id: string; readonly secret: string } {
  const [id = '', secret = '', ...more] = token.split('.');
  return more.length > 0 || !/^[\w-]{1,64}$/.test(id) ? { id: '', secret: '' } : { id, secret };
}

function digest(secret: string): string {
  return hash('sha256', secret, 'hex');
}

function matches(secret: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digest(secret)), Buffer.from(expected));
}
