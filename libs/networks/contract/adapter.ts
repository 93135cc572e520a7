import type { Network, Placement } from '#domain/network.ts';
import type { NetworkOptions, Privacy } from '#domain/network-options.ts';
import type { Failure } from '#domain/variant/failure.ts';
import type { DayFigures, Figures } from '#domain/variant/metrics.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { QuotaWindow } from '#tables/repositories/network-uses.ts';

export type { Failure };

/** The account that a call acts for, and the way to its Network. */
export interface AccountAccess {
  readonly http: HttpClient;
  readonly accessToken: string;
  /** The account's id and public name at the Network. */
  readonly accountId: string;
  readonly username: string;
  /** What the Network said of the account when it was connected, and its calls need: see `Profile.facts`. */
  readonly accountFacts: Readonly<Record<string, string>>;
  /** The instant, milliseconds since the epoch, at which the adapter was called. */
  readonly now: number;
}

/** What one attempt is about, as the publisher hands it to an adapter. */
export interface Publication extends AccountAccess {
  readonly placement: Placement;
  readonly text: string;
  /** Where the Network has titles and the Member gave one; else null. */
  readonly title: string | null;
  /** What the Member, or else the Channel's defaults, chose of what this Network offers. */
  readonly options: NetworkOptions;
  /** In the order of the Post. */
  readonly media: readonly Rendition[];
  /** What its video shows before it is played; null: what the Network picks. `atMs`: an instant of the video. */
  readonly cover:
    { readonly kind: 'picture'; readonly file: Rendition } | { readonly kind: 'instant'; readonly atMs: number } | null;
}

/** A first comment on what is live, as the publisher hands it to an adapter. */
export interface FirstComment extends AccountAccess {
  /** What it goes under: the `remoteId` that publishing answered. */
  readonly itemId: string;
  readonly text: string;
}

/** How the step ended, for the ledger and GET /api/variants/{id}/attempts. Every answer carries it. */
export interface CallSummary {
  /** HTTP status, 0 when no answer came. */
  readonly status: number;
  /** One line, at most 500 characters, no tokens. */
  readonly detail: string;
  /** No call was made: a failure says nothing of how the Network is. */
  readonly isUncalled?: true;
  /**
   * The Network's headers ask for no more calls for so long, because little of what it allows is left: to the account,
   * or to our app over all accounts.
   */
  readonly pause?: { readonly scope: 'account' | 'app'; readonly forMs: number };
}

export type PrepareAnswer =
  /** Ready to publish. `handle`: what the Network calls the thing to publish; null where it has no such thing. */
  | { readonly kind: 'ready'; readonly handle: string | null; readonly summary: CallSummary }
  /**
   * Not yet: call again with `handle` after `delayMs`. 0: at once; that keeps a step that would cost much to
   * repeat, such as an upload: `handle` then says how far it came. At most 16 KiB.
   */
  | { readonly kind: 'wait'; readonly handle: string; readonly delayMs: number; readonly summary: CallSummary }
  /** `handle`: what a later try goes on from, null for a fresh start; left out: the one that was given. */
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly handle?: string | null;
      readonly summary: CallSummary;
    };

export type PublishAnswer =
  | {
      readonly kind: 'published';
      readonly remoteId: string;
      readonly permalink: string | null;
      readonly summary: CallSummary;
    }
  /**
   * The Network has all of it and is still at work: reconciling tells what becomes of it, by `handle` where the answer
   * gave the first one.
   */
  | { readonly kind: 'accepted'; readonly delayMs: number; readonly handle?: string; readonly summary: CallSummary }
  /** Certainly not published. `handle` as of a failed `PrepareAnswer`. */
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly handle?: string | null;
      readonly summary: CallSummary;
    }
  /**
   * It may be live: reconcile before anything else. `ifAbsent`: what was refused, should reconciling prove it absent;
   * act on that instead of sending the handle again at once.
   */
  | { readonly kind: 'unknown'; readonly ifAbsent?: Failure; readonly summary: CallSummary };

export type ReconcileAnswer =
  | {
      readonly kind: 'published';
      readonly remoteId: string;
      readonly permalink: string | null;
      /**
       * The item was found by what it says and when, as another Variant's might be. This is the answer if it is known
       * to be another's; left out: it certainly is the one.
       */
      readonly ifOthers?: ReconcileAnswer;
      readonly summary: CallSummary;
    }
  /** Proven not published, and the same handle may be sent again. A Network without handles never answers it. */
  | { readonly kind: 'absent'; readonly summary: CallSummary }
  /**
   * Certainly not published and never will be with this handle; `handle` as of a failed `PrepareAnswer`. Where the
   * failure says `mayBeLive`, it only shows nowhere: the call is repeated with `handle`, of which two make one item.
   */
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly handle?: string | null;
      readonly summary: CallSummary;
    }
  /** The Network has it and is still at work: ask again after `delayMs`. */
  | { readonly kind: 'processing'; readonly delayMs: number; readonly summary: CallSummary }
  /**
   * Can't tell yet: ask again after `delayMs`; null: no later question can tell. `tokenRefused`: asking again
   * helps only with a refreshed token or after a reconnect.
   */
  | {
      readonly kind: 'unknown';
      readonly delayMs: number | null;
      readonly tokenRefused?: true;
      readonly summary: CallSummary;
    };

/** What was armed, for reconciling. */
export interface ArmedCall {
  readonly handle: string | null;
  readonly armedAt: number;
  /** How often this was asked before, from 0. */
  readonly asked: number;
  /** Since when the Network told nothing of it; left out: since it was armed. */
  readonly outOfReachSince?: number;
  /** The process that made the call is known to have ended a while ago: the Network acted on it, or never will. */
  readonly isSenderDead?: boolean;
  /** How far the clock that `armedAt` is of may be ahead or behind; left out: it is the clock of who asks. */
  readonly clockSkewMs?: number;
}

/**
 * What another installation may have published, which this one is a copy of, without the copy's knowing. Instants are
 * milliseconds since the epoch.
 */
export interface Sought {
  /** What the copy knows by which it may have been published; the other one may have made another since. */
  readonly handle: string | null;
  /** It was not published before. */
  readonly since: number;
  /** How often this was asked before, from 0. */
  readonly asked: number;
  /** Since when the Network told nothing of it; left out: for as long as it is sought. */
  readonly outOfReachSince?: number;
}

export interface FoundItem {
  readonly remoteId: string;
  readonly permalink: string | null;
  /** null: the Network does not say. */
  readonly publishedAt: number | null;
}

export type SearchAnswer =
  /** The handle tells: it is live, or may be soon. */
  | Extract<ReconcileAnswer, { kind: 'published' | 'processing' | 'unknown' }>
  /** The account's own list was read. */
  | {
      readonly kind: 'searched';
      /** What says and shows the same. */
      readonly items: readonly FoundItem[];
      /**
       * Whether finding none proves that none is live: the list has everything that the account published since then,
       * and nothing in it might be the sought one without saying so.
       */
      readonly isProof: boolean;
      /** How long after its publishing an item is listed, at the latest. */
      readonly listedAfterMs: number;
      readonly summary: CallSummary;
    };

/**
 * A way to make something public at one Network, split at the irreversible call. Each method makes one or a few HTTP
 * calls and returns; the caller waits. None of them throws for anything a Network can answer.
 */
export interface IrreversibleCall<Content> {
  readonly network: Network;
  /**
   * Of the irreversible call, at its longest. A sender checks the arm's deadline right before it; reconciling waits
   * this long after it.
   */
  readonly publishTimeoutMs: number;
  /** Of the irreversible call with this content; left out: `publishTimeoutMs`. Never longer than that. */
  timeoutFor?(content: Content): number;
  /** Repeatable; never public. */
  prepare(content: Content, handle: string | null): Promise<PrepareAnswer>;
  /** The one irreversible call. No caller retries it. */
  publish(content: Content, handle: string | null): Promise<PublishAnswer>;
  reconcile(content: Content, armed: ArmedCall): Promise<ReconcileAnswer>;
  /** Looks for what another installation may have published; absent: the Network has no list of it. */
  search?(content: Content, sought: Sought): Promise<SearchAnswer>;
}

/** One Network's way to publish a Variant. */
export type NetworkAdapter = IrreversibleCall<Publication>;

/**
 * One Network's way to send the first comment on what is live. An unknown outcome is never followed by another call:
 * `reconcile` finds the comment, or the comment ends as failed.
 */
export interface NetworkComments extends IrreversibleCall<FirstComment> {
  /** Whether one uses up the Network's budget as a Variant does: it is a post of its own there. */
  readonly isUse: boolean;
}

export interface Tokens {
  readonly accessToken: string;
  /** null where the Network prolongs the access token itself. */
  readonly refreshToken: string | null;
  readonly expiresAt: number;
}

export interface Profile {
  readonly accountId: string;
  readonly username: string;
  readonly name: string;
  readonly avatarUrl: string | null;
  /** What limits depend on, as `Channel.kind`. */
  readonly kind: string;
  /**
   * What publishing to the account needs beside its id, kept with its tokens and handed back as
   * `Publication.accountFacts`; no secrets.
   */
  readonly facts?: Readonly<Record<string, string>>;
}

/**
 * An account that can become a Channel, with the tokens that act for it: its own where the Network gives each account
 * one.
 */
export interface ConnectableAccount extends Profile {
  readonly tokens: Tokens;
}

/** Definite: the Network refused (a person must act). Otherwise it may work later. */
export type AuthAnswer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly summary: CallSummary }
  /** `sent: false`: nothing was consumed; true: a single-use token may be spent. */
  | { readonly kind: 'unavailable'; readonly sent: boolean; readonly summary: CallSummary };

export interface NetworkAuth {
  readonly network: Network;
  /** Where the person is sent. `verifier`: the PKCE secret, used where the Network wants it. */
  authorizeUrl(request: { readonly redirectUri: string; readonly state: string; readonly verifier: string }): string;
  exchange(
    http: HttpClient,
    request: { readonly code: string; readonly redirectUri: string; readonly verifier: string; readonly now: number },
  ): Promise<AuthAnswer<Tokens>>;
  refresh(http: HttpClient, tokens: Tokens, now: number): Promise<AuthAnswer<Tokens>>;
  /**
   * The accounts that the person let us act for; several where one sign-in covers several, such as Pages. None: nothing
   * can be connected.
   */
  accounts(http: HttpClient, tokens: Tokens, now: number): Promise<AuthAnswer<readonly ConnectableAccount[]>>;
  /** When to refresh tokens made at `issuedAt`, ahead of `expiresAt`. */
  refreshDueAt(tokens: Tokens, issuedAt: number): number;
  /**
   * Ends at the Network what the tokens allow, when a Member disconnects the Channel. Tokens that are dead already
   * count as ended. Absent: the Network has no call for it.
   */
  revoke?(http: HttpClient, tokens: Tokens, accountId: string): Promise<AuthAnswer<true>>;
}

export interface MetricsRequest {
  readonly accessToken: string;
  /** What was published. */
  readonly remoteId: string;
  /** Milliseconds since the epoch. */
  readonly publishedAt: number;
  readonly now: number;
}

export type MetricsAnswer =
  /** Those days only that the Network tells of; it may restate the newest ones later. */
  | {
      readonly kind: 'ok';
      readonly totals: Figures;
      readonly days: readonly DayFigures[];
      readonly summary: CallSummary;
    }
  /** Our token may not: status 401 where another token might. */
  | { readonly kind: 'refused'; readonly summary: CallSummary }
  /** What was published is there no more. */
  | { readonly kind: 'gone'; readonly summary: CallSummary }
  | { readonly kind: 'unavailable'; readonly summary: CallSummary };

/** How something published does, at a Network that tells. */
export interface NetworkMetrics {
  readonly network: Network;
  read(http: HttpClient, request: MetricsRequest): Promise<MetricsAnswer>;
}

/** What an account may choose from at this moment, for GET /api/channels/{id}/options. Names are the API's. */
export interface Choices {
  readonly nickname?: string;
  readonly privacy?: readonly Privacy[];
  readonly longestVideoSeconds?: number;
  /** Whether the account lets others do so; false: the option has no effect. */
  readonly allowComments?: boolean;
  readonly allowDuet?: boolean;
  readonly allowStitch?: boolean;
  readonly playlists?: readonly { readonly id: string; readonly title: string }[];
  readonly categories?: readonly { readonly id: string; readonly title: string }[];
}

export type ChoicesAnswer =
  | { readonly kind: 'ok'; readonly choices: Choices; readonly summary: CallSummary }
  /** Our token may not: status 401 where another token might. */
  | { readonly kind: 'refused'; readonly summary: CallSummary }
  | { readonly kind: 'unavailable'; readonly summary: CallSummary };

/** What an account may choose from, at a Network whose accounts differ in that. */
export interface NetworkChoices {
  readonly network: Network;
  /** For so long an answer serves all who ask: reading uses up what the Network lets the account, or our app, ask. */
  readonly freshForMs: number;
  read(access: AccountAccess): Promise<ChoicesAnswer>;
}

/**
 * What a Network lets us do, as data; publishers keep within it, all of them together. A use is one attempt to publish.
 */
export interface NetworkBudget {
  /** Of each account. */
  readonly account: readonly QuotaWindow[];
  /** Of our app, over all accounts. */
  readonly app: readonly QuotaWindow[];
  /** Attempts at work at one moment, over all accounts and in all processes; an operator may change it. */
  readonly atOnce: number;
}

export type NetworkAddresses = Pick<NetworkEndpoints, 'api' | 'authorize' | 'site' | 'hosts'>;

/** Addresses and app credentials of one Network: the real ones, or a sandbox. */
export interface NetworkEndpoints {
  /** e.g. `https://api.x.com`. No trailing slash. */
  readonly api: string;
  readonly authorize: string;
  /** Where people look at what was published, for permalinks that the API does not give. */
  readonly site: string;
  /** Further addresses of a Network that has several, e.g. `{ upload: 'https://...' }`; the names are its own. */
  readonly hosts: Readonly<Record<string, string>>;
  readonly clientId: string;
  readonly clientSecret: string;
  /** How people sign in, where the operator's app differs from what is usual. */
  readonly signIn?: SignInSettings;
}

/** Settings of an operator's app that sign-in at some Networks depends on. */
export interface SignInSettings {
  /** Of Facebook Login for Business: what is asked for is configured there, and no scope is sent. */
  readonly configId?: string;
  /** The scopes that the app was given, where they differ from those that Crier asks for. */
  readonly scopes?: readonly string[];
}
