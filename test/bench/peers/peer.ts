import type { EngineJvm } from '#testing/engines/jvm.ts';

/** What is measured beside Crier, in the order of the report's columns. */
export const PEERS = ['plain', 'bullmq', 'pg-boss', 'graphile-worker'] as const;
export type PeerName = (typeof PEERS)[number];

/** A Post, or a job for a scheduler: to each of these channels of its home, at one instant. */
export interface DuePost {
  readonly text: string;
  /** Places in the home's `accounts`. */
  readonly channels: readonly number[];
  readonly dueAt: number;
}

/** How the attempt at one Variant ended, in the service's own words; null: it has not ended. */
export interface Outcome {
  readonly text: string;
  readonly account: string;
  readonly outcome: 'published' | 'failed' | 'unconfirmed' | null;
}

/** Of what was scheduled in a home: what has not ended, and what ended otherwise than published. */
export interface HomeState {
  readonly unfinished: number;
  readonly notPublished: readonly Outcome[];
}

/** A Workspace with Channels; for a scheduler, a number of channels that its jobs name. */
export interface Home {
  /** What the sink calls each channel. */
  readonly accounts: readonly string[];
  /** Resolves when all of them are acknowledged, in any order. Rejects if one was refused. */
  schedule(posts: readonly DuePost[]): Promise<void>;
  state(): Promise<HomeState>;
}

/** A Workspace of a service that has a REST API. */
export interface ApiHome extends Home {
  readonly key: string;
  readonly channelIds: readonly string[];
}

/** A program, with all of its processes, that brings what is scheduled to the sink. */
export interface RunningPeer {
  /** How a write is made durable. */
  readonly durability: string;
  /** How the JVMs of its engines are set; null: it has none. */
  readonly jvm: EngineJvm | null;
  /** Null: a scheduler, which has none. */
  readonly api: Api | null;
  /** Processes that make it up; their children belong to them. The sink is none of them. */
  pids(): readonly number[];
  openHome(channels: number): Promise<Home>;
  /** Ends the process that publishes, as kill -9 does. */
  kill(): Promise<void>;
  /** Starts what `kill` ended, on the same data; resolves when it is ready. */
  restart(): Promise<void>;
}

/** The REST API that Crier and the plain service have in common: Posts are made and listed in the same words. */
export interface Api {
  url(): string;
  openHome(channels: number): Promise<ApiHome>;
  /** Writes so many Posts of tomorrow and later into the store, as if the API had taken them. */
  fill(home: ApiHome, posts: number): Promise<void>;
}

export interface PeerSite {
  /** An empty folder for its data. */
  readonly folder: string;
  readonly sink: { readonly url: string; readonly hooksUrl: string; readonly hooksPort: number };
  /** The certificate that the sink's https server can be trusted by. */
  readonly authorityFile: string;
  /**
   * What ends a process, called as soon as it runs: they are ended in reverse order at the end of the turn, also of a
   * peer whose next process does not start.
   */
  defer(stop: () => Promise<void>): void;
}

export type StartPeer = (site: PeerSite) => Promise<RunningPeer>;
