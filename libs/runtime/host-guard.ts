import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '#config/own-addresses.ts';

export interface GuardedListener {
  /** Where it listens, as the setting says. */
  readonly host: string;
  /** Where it is reached besides; asked at each request, as ports may be chosen by then only. */
  readonly urls: () => readonly string[];
}

export interface RequestHead {
  readonly headers: IncomingHttpHeaders;
  /** The end of the connection that is ours, as the socket writes it. */
  readonly localAddress: string | undefined;
}

/**
 * Judges requests to a listener that is meant for its own machine or network: null for one that may be answered, else
 * why not. Any page that a person opens can make the browser ask such a listener, whose answers and doings are not that
 * page's business:
 * - by a name of its own that it lets lead to 127.0.0.1 (DNS rebinding), then as the same origin: Host has to be an
 *   address of ours;
 * - blindly, across origins, with forms and plain posts: Origin, where a browser sends it, has to be that of our own
 *   page.
 */
export function createHostGuard({ host, urls }: GuardedListener): (request: RequestHead) => string | null {
  return ({ headers, localAddress }) => {
    const asked = hostnameIn(headers.host);
    const own = urls().map((url) => new URL(url));
    const isOurs =
      asked !== null &&
      (isLoopback(asked) ||
        [...own.map(({ hostname }) => hostname), hostnameOf(host), hostnameOf(localAddress ?? '')].includes(asked));
    if (!isOurs)
      return 'This listener answers at its own addresses only, and the header Host names another: ask at the address that it is started with.';
    const { origin } = headers;
    const isOwnPage =
      origin === undefined ||
      origin === new URL(`http://${headers.host}`).origin ||
      own.some((url) => url.hostname === asked && url.origin === origin);
    return isOwnPage ? null : 'This listener answers no pages but its own, and the header Origin names another.';
  };
}

/** The name in a Host header, as URLs write it; null: there is none. */
function hostnameIn(header: string | undefined): string | null {
  if (header === undefined || !/^[^\s@/?#\\]+$/.test(header) || !URL.canParse(`http://${header}`)) return null;
  return new URL(`http://${header}`).hostname;
}

/** As URLs write it, of an address as sockets and settings do; '' for none. */
function hostnameOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^\[(.*)\]$/, '$1');
  return hostnameIn(plain.includes(':') ? `[${plain}]` : plain) ?? '';
}
