import type { Network } from '#domain/network.ts';
import { shelf, type SandboxStore } from './store/store.ts';

export interface LoggedCall {
  readonly network: Network;
  readonly call: string;
  readonly method: string;
  /** Without the query, which may contain tokens. */
  readonly path: string;
  /** 0: the connection was cut instead of an answer. */
  readonly status: number;
  readonly at: number;
}

export interface CallLog {
  add(call: LoggedCall): void;
  /** Newest last. */
  list(network: Network | undefined): readonly LoggedCall[];
}

const PATH_LENGTH = 300;
/** Trimming one call for each new one would double the writes. */
const TRIM_EVERY = 1_000;

/** The newest calls: at least `kept` of them, over all Networks. */
export function createCallLog(store: SandboxStore, kept: number): CallLog {
  const calls = shelf<LoggedCall>(store, 'calls');
  const key = (sequence: number) => String(Math.max(0, sequence)).padStart(15, '0');
  let sequence = Number(calls.scan({ descending: true, limit: 1 })[0]?.key ?? 0);
  return {
    add(call) {
      sequence += 1;
      calls.put(key(sequence), { ...call, path: call.path.slice(0, PATH_LENGTH) });
      if (sequence % TRIM_EVERY === 0) calls.deleteBefore('', key(sequence - kept));
    },
    list(network) {
      const all = calls.scan().map(({ value }) => value);
      return network === undefined ? all : all.filter((call) => call.network === network);
    },
  };
}
