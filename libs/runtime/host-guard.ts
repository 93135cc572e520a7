import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '#config/own-addresses.ts';

export interface GuardedListener {
  /** Where it listens, as the setting says. */
  readonly host: string;
  /** The other addresses that lead to it. Read at each request: a port may be chosen only when it listens. */
  readonly urls: () => readonly string[];
  /** Further names of hosts that lead to it. Default: none. */
  readonly names?: readonly string[];
}

export interface RequestHead {
  readonly headers: IncomingHttpHeaders;
  /** The local address of the connection, as the socket writes it. */
  readonly localAddress: string | undefined;
}

/**
 * Guards a listener that is meant for its own machine or network: returns null for a request that may be answered, else
 * the reason why not. A page of any site can make the browser of its visitor send requests to such a listener:
 * - under a name of the site that resolves to 127.0.0.1 (DNS rebinding), which makes the page same-origin: Host has to
 *   be an address of this listener;
 * - across origins, by forms and simple requests whose answers the page can not read: Origin, where a browser sends it,
 *   has to be that of a page of this listener.
 */
export function createHostGuard({ host, urls, names = [] }: GuardedListener): (request: RequestHead) => string | null {
  return ({ headers, localAddress }) => {
    const requested = hostnameIn(headers.host);
    const own = urls().map((url) => new URL(url));
    const isOurs =
      requested !== null &&
      (isLoopback(requested) ||
        [...own.map(({ hostname }) => hostname), ...names, hostnameOf(host), hostnameOf(localAddress ?? '')].includes(
          requested,
        ));
    if (!isOurs)
      return 'This listener answers at its own addresses only, and the header Host names another: ask at the address that it is started with.';
    const { origin } = headers;
    const isOwnPage =
      origin === undefined ||
      origin === new URL(`http://${headers.host}`).origin ||
      own.some((url) => url.hostname === requested && url.origin === origin);
    return isOwnPage ? null : 'This listener answers no pages but its own, and the header Origin names another.';
  };
}

/** The host in a Host header, as URLs write it; null: there is none. */
function hostnameIn(header: string | undefined): string | null {
  if (header === undefined || !/^[^\s@/?#\\]+$/.test(header) || !URL.canParse(`http://${header}`)) return null;
  return new URL(`http://${header}`).hostname;
}

/** An address as sockets and settings write it, turned into the host of a URL; '' for none. */
function hostnameOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^\[(.*)\]$/, '$1');
  return hostnameIn(plain.includes(':') ? `[${plain}]` : plain) ?? '';
}
