import { Resolver } from 'node:dns/promises';

/**
 * The IP addresses of a name, none when it has none. Rejects when that can't be learned now, and soon after `signal` is
 * aborted.
 */
export type NameLookup = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

const TRY_MS = 2_000;
const TRIES = 2;

/**
 * Asks the name servers of the machine for A and AAAA, and uses nothing else: no hosts file, no search domains, no
 * mDNS, which would only give a stranger's name more places to lead to. It is not `dns.lookup` also because that one
 * waits in libuv's thread pool, where two dead name servers block every other look-up of the process. `servers`: other
 * name servers, as `address` or `address:port`.
 */
export function createNameLookup(servers?: readonly string[]): NameLookup {
  return async (name, signal) => {
    signal.throwIfAborted();
    // One resolver for each look-up: it reads the machine's name servers as they are now, and cancelling it must not
    // end other look-ups.
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel);
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (found.length > 0) return found;
      const failure = answers.find((answer) => answer.status === 'rejected' && !hasNone(answer.reason));
      if (failure !== undefined) throw (failure as PromiseRejectedResult).reason;
      return [];
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

function hasNone(reason: unknown): boolean {
  return ['ENOTFOUND', 'ENODATA'].includes((reason as NodeJS.ErrnoException).code ?? '');
}
