import type { Network } from '#domain/network.ts';
import type { Clock } from '#ports/clock.ts';
import type { Accounts } from './accounts.ts';
import type { SandboxAnswer, Incoming } from './exchange.ts';
import type { Fault, FaultRules, NetworkFault } from './faults.ts';
import type { FetchFile } from './files/fetch-file.ts';
import type { Files } from './files/files.ts';
import type { Grants } from './grants.ts';
import type { Items } from './items.ts';
import type { Limits } from './limits.ts';
import type { RemoteIds } from './remote-ids.ts';
import type { SandboxStore } from './store/store.ts';
import type { Timing } from './timing.ts';

/** One call as a Network understood it: a name, and the work. */
export interface SimulatorCall {
  readonly name: string;
  /** Does the work and answers. `fault`: one of the Network's own, to be played on the way. */
  perform(fault: Fault<NetworkFault> | null): SandboxAnswer | Promise<SandboxAnswer>;
}

/**
 * One Network. It keeps no time of its own: what state something is in follows from when it began and what time it is
 * now.
 */
export interface Simulator {
  readonly network: Network;
  /** Names of its calls, as faults and the list of calls use them. */
  readonly calls: readonly string[];
  /** The call after which something may be public. */
  readonly irreversible: string;
  readonly faults: FaultRules;
  readonly limits: Limits;
  /** Which call this is; null when the Network has no such address. `path` is below the Network's own prefix. */
  match(request: Incoming, path: readonly string[]): SimulatorCall | null;
  /**
   * Whether the address is one that it gave out for a file, which alone lets who has it send; left out: it gives out
   * none.
   */
  isOpenUpload?(request: Incoming, path: readonly string[]): boolean;
  unknownAddress(request: Incoming): SandboxAnswer;
  /** What it says when its own servers fail, with the work undone or done. */
  serverError(when: 'before' | 'after', call: string): SandboxAnswer;
}

/** The app that signs in at a Network. */
export interface SandboxApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where it may have people sent back to, with a code; left out: nowhere. */
  readonly redirectUris?: (network: Network) => readonly string[];
}

/** What a simulated Network is made of. */
export interface SimulatorDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly store: SandboxStore;
  readonly accounts: Accounts;
  readonly grants: Grants;
  readonly items: Items;
  readonly files: Files;
  readonly fetchFile: FetchFile;
  readonly remoteIds: RemoteIds;
  readonly timing: Timing;
  readonly app: SandboxApp;
  readonly baseUrl: () => string;
}
