import type { Network } from '#domain/network.ts';
import type { Clock } from '#ports/clock.ts';
import type { AccountStates } from './account-states.ts';
import type { Accounts } from './accounts.ts';
import type { AppStates } from './app-states.ts';
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

/** One recognised call of a Network: its name, and its work. */
export interface SimulatorCall {
  readonly name: string;
  /** Does the work and answers. `fault`: one of the Network's own, to be played meanwhile. */
  perform(fault: Fault<NetworkFault> | null): SandboxAnswer | Promise<SandboxAnswer>;
}

/** One Network. It has no timers: an object's state follows from when it began and the present time. */
export interface Simulator {
  readonly network: Network;
  /** Names of its calls, for faults and the list of calls. */
  readonly calls: readonly string[];
  /** The call after which something may be public. */
  readonly irreversible: string;
  readonly faults: FaultRules;
  readonly limits: Limits;
  /** Which call this is; null when the Network has no such address. `path` is below the Network's own prefix. */
  match(request: Incoming, path: readonly string[]): SimulatorCall | null;
  /** Whether this is an upload address that it gave out, which alone allows sending. Left out: it gives out none. */
  isOpenUpload?(request: Incoming, path: readonly string[]): boolean;
  unknownAddress(request: Incoming): SandboxAnswer;
  /** Its answer when its own servers fail, with the work done or not. */
  serverError(when: 'before' | 'after', call: string): SandboxAnswer;
}

/** The app that signs in at a Network. */
export interface SandboxApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Its redirect addresses. Left out: none. */
  readonly redirectUris?: (network: Network) => readonly string[];
}

/** The dependencies of a simulated Network. */
export interface SimulatorOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly store: SandboxStore;
  readonly accounts: Accounts;
  readonly accountStates: AccountStates;
  readonly appStates: AppStates;
  readonly grants: Grants;
  readonly items: Items;
  readonly files: Files;
  readonly fetchFile: FetchFile;
  readonly remoteIds: RemoteIds;
  readonly timing: Timing;
  readonly app: SandboxApp;
  readonly baseUrl: () => string;
}
