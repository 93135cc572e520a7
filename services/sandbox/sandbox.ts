import type { Network } from '#domain/network.ts';
import type { Clock } from '#ports/clock.ts';
import type { Download } from '#ports/download.ts';
import type { Ids } from '#ports/ids.ts';
import { createAccountStates } from './account-states.ts';
import { createAccounts } from './accounts.ts';
import { createAppStates } from './app-states.ts';
import { createCallLog } from './call-log.ts';
import { control } from './control.ts';
import { refused } from './control-fields.ts';
import {
  readRequest,
  type SandboxAnswer,
  type Incoming,
  type ExchangeOutcome,
  type SandboxRequest,
} from './exchange.ts';
import { createFaults, isNetworkFault, type CommonFault, type SandboxFaults } from './faults.ts';
import { createFetchFile, noDownload } from './files/fetch-file.ts';
import { createMemoryBytes, type FileBytes } from './files/file-bytes.ts';
import { createFiles } from './files/files.ts';
import { FRONT_END_CALL, refuseUnnamed } from './front-end.ts';
import { createGrants } from './grants.ts';
import { createInboxes } from './inbox/inboxes.ts';
import { receiveLetter } from './inbox/receive.ts';
import { createItems } from './items.ts';
import { createMailbox } from './mail/mailbox.ts';
import { isFromKnown } from './known-sender.ts';
import { createRemoteIds } from './remote-ids.ts';
import type { SimulatorCall, SandboxApp, Simulator } from './simulator.ts';
import { createSimulators, SANDBOX_APP } from './simulators.ts';
import type { SandboxStore } from './store/store.ts';
import { createTiming } from './timing.ts';

export interface SandboxOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: SandboxStore;
  /** The sandbox's address, without a slash at the end: addresses in its answers begin with it. */
  readonly baseUrl: () => string;
  readonly app?: SandboxApp;
  /** Where files are stored. Default: in memory. */
  readonly bytes?: FileBytes;
  /** How Networks fetch files by address. Default: not at all. */
  readonly download?: Download;
  /** The origin of those files: Networks fetch from nowhere else. Default: none. */
  readonly mediaUrl?: () => string;
  /** The only redirect addresses of the app's sign-ins. Default: none. */
  readonly redirectUris?: (network: Network) => readonly string[];
  /** The number of calls that GET /sandbox/calls remembers, at least. */
  readonly keptCalls?: number;
  /** X only: whether the second use of a refresh token ends every token of the same consent. */
  readonly reuseEndsGrant?: boolean;
  /**
   * TikTok only: domains of the internet that it fetches from, besides this machine and those that only tests and
   * private networks have.
   */
  readonly verifiedDomains?: readonly string[];
  /** Whether Networks refuse requests without a User-Agent. Default: no. */
  readonly requiresUserAgent?: boolean;
  /** Ends the waits of faults. */
  readonly signal?: AbortSignal;
  /** Whether `https://inbox.sandbox` is served. Default: no, and there are no pages of it. */
  readonly servesInboxes?: boolean;
}

export interface Sandbox {
  /** Resolves only when the effects of the answer are durable. Rejects only when the store can't write. */
  handle(request: SandboxRequest): Promise<ExchangeOutcome>;
  /**
   * Whether the sender showed a token, or the address of an upload: large bodies are kept for such senders only. The
   * body may be incomplete.
   */
  isFromKnown(request: SandboxRequest): boolean;
  /**
   * Like `handle`, for requests to `https://inbox.sandbox`; `hang`: no answer is to be given. `receivedAt`: by the
   * machine's own clock.
   */
  receive(request: SandboxRequest, receivedAt: number): Promise<SandboxAnswer | 'hang'>;
}

const KEPT_CALLS = 50_000;

/** The simulated Networks and the addresses around them, independent of any transport. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { clock, ids, store, baseUrl } = options;
  const remoteIds = createRemoteIds(clock, ids);
  const accounts = createAccounts(store, clock, remoteIds);
  const accountStates = createAccountStates(store);
  const appStates = createAppStates(store);
  const grants = createGrants(store, ids, accounts);
  const items = createItems(store);
  const timing = createTiming(store);
  const faults = createFaults(store);
  const files = createFiles(store, options.bytes ?? createMemoryBytes(), remoteIds);
  const fetchFile = createFetchFile({
    download: options.download ?? noDownload,
    files,
    mediaUrl: options.mediaUrl ?? (() => null),
  });
  const calls = createCallLog(store, options.keptCalls ?? KEPT_CALLS);
  const inboxes = createInboxes(store);
  const app: SandboxApp = { ...(options.app ?? SANDBOX_APP), redirectUris: options.redirectUris ?? (() => []) };
  const simulators = createSimulators({
    ...{ clock, store, accounts, accountStates, appStates, grants, items, files, fetchFile, remoteIds, timing, app },
    baseUrl,
    reuseEndsGrant: options.reuseEndsGrant ?? false,
    verifiedDomains: options.verifiedDomains ?? [],
  });

  const simulatorOf = (segments: readonly string[]): Simulator | null => simulatorAt(simulators, segments);

  const simulated = (request: Incoming): Promise<ExchangeOutcome> =>
    answerSimulated(request, {
      ...{ simulators, calls, faults, store, clock, signal: options.signal },
      requiresUserAgent: options.requiresUserAgent ?? false,
    });

  const controlled = {
    simulators,
    accounts,
    accountStates,
    appStates,
    items,
    files,
    faults,
    timing,
    calls,
    clock,
    mailbox: createMailbox(store),
    inboxes: options.servesInboxes === true ? inboxes : null,
    baseUrl,
  };
  return {
    async handle(raw) {
      const request = readRequest(raw);
      const outcome: ExchangeOutcome | SandboxAnswer =
        request.segments[0] === 'sim' ? await simulated(request) : control(request, controlled);
      await store.durable();
      return outcome;
    },
    isFromKnown(raw) {
      const request = readRequest(raw);
      const simulator = request.segments[0] === 'sim' ? simulatorOf(request.segments) : null;
      return simulator !== null && isFromKnown(request, simulator, grants, clock.now());
    },
    async receive(raw, receivedAt) {
      const answer = receiveLetter(inboxes, { request: readRequest(raw), headers: raw.headers, receivedAt });
      await store.durable();
      return answer;
    },
  };
}

function simulatorAt(simulators: Simulators, [, network = '']: readonly string[]): Simulator | null {
  return Object.hasOwn(simulators, network) ? simulators[network as Network] : null;
}

type Simulators = ReturnType<typeof createSimulators>;

interface SimulatedOptions extends FaultOptions {
  readonly simulators: Simulators;
  readonly calls: ReturnType<typeof createCallLog>;
  readonly requiresUserAgent: boolean;
}

/** Answers a request to a simulated Network, and records it in the log of calls. */
async function answerSimulated(request: Incoming, options: SimulatedOptions): Promise<ExchangeOutcome> {
  const { simulators, calls, clock } = options;
  const path = request.segments.slice(2);
  const simulator = simulatorAt(simulators, request.segments);
  if (simulator === null) {
    const names = Object.keys(simulators).join(', ');
    return refused(404, 'not_found', `No Network is simulated at this address; there are: ${names}.`);
  }
  const { network } = simulator;
  const { method, path: calledPath } = request;
  const log = (call: string, status: number) =>
    calls.add({ network, call, method, path: calledPath, status, at: clock.now() });
  const refusal = options.requiresUserAgent ? refuseUnnamed(network, request) : null;
  if (refusal !== null) {
    log(FRONT_END_CALL, refusal.status);
    return refusal;
  }
  const call = simulator.match(request, path);
  const outcome = call === null ? simulator.unknownAddress(request) : await withFault(simulator, call, options);
  log(call?.name ?? 'unknown', 'cut' in outcome ? 0 : outcome.status);
  return outcome;
}

interface FaultOptions {
  readonly faults: SandboxFaults;
  readonly store: SandboxStore;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** Runs the call, or plays the next fault that waits for it. */
async function withFault(
  simulator: Simulator,
  call: SimulatorCall,
  { faults, store, clock, signal }: FaultOptions,
): Promise<ExchangeOutcome> {
  const fault = faults.take(simulator.network, call.name);
  if (fault === null) return call.perform(null);
  if (isNetworkFault(fault)) return call.perform(fault);
  switch (fault.fault as CommonFault) {
    case 'drop_before_commit':
      return { cut: 'before' };
    case '5xx_before_commit':
      return simulator.serverError('before', call.name);
    case 'drop_after_commit':
      await call.perform(null);
      return { cut: 'after' };
    case '5xx_after_commit':
      await call.perform(null);
      return simulator.serverError('after', call.name);
    case 'delay':
      // The use of the fault is stored before the wait: a restart in the middle must not play it again.
      await store.durable();
      await clock.sleep(fault.delayMs ?? 0, signal);
      return call.perform(null);
  }
}
