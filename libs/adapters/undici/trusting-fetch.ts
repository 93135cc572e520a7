import { Agent, buildConnector, fetch as undiciFetch } from 'undici';

export interface TrustingFetch {
  readonly fetch: (input: string | URL | Request, init?: object) => Promise<Response>;
  close(): Promise<void>;
}

/**
 * `fetch` that trusts the authorities of `ca` (PEM, asked anew for each connection; undefined: those of the system),
 * for addresses of this installation itself.
 */
export function createTrustingFetch(ca: () => string | undefined): TrustingFetch {
  const connectors = new Map<string | undefined, ReturnType<typeof buildConnector>>();
  const connectorOf = (trusted: string | undefined): ReturnType<typeof buildConnector> => {
    const known = connectors.get(trusted);
    if (known !== undefined) return known;
    // Of before: it keeps sessions by which a server could be trusted again.
    connectors.clear();
    const made = buildConnector({ ...(trusted !== undefined && { ca: trusted }), timeout: 5_000, allowH2: false });
    connectors.set(trusted, made);
    return made;
  };
  const dispatcher = new Agent({ connect: (options, callback) => connectorOf(ca())(options, callback) });
  const fetch = (input: unknown, init: object): unknown => undiciFetch(input as string, { ...init, dispatcher });
  return { fetch: fetch as TrustingFetch['fetch'], close: () => dispatcher.destroy() };
}
