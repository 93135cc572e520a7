import { isIPv6, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { PublicPlace } from './public-address.ts';

/** Where a name leads: checked addresses of its own, or the one place that an operator gave it. */
export interface Destination {
  readonly addresses: readonly string[];
  readonly port: number;
  /** Whom to believe who it is. */
  readonly trust: SecureContext;
}

const MAX_HEADER_BYTES = 16 * 1024;
/** Shorter than what servers keep (2 s and more), so that a kept connection is seldom found dead. */
export const IDLE_MS = 1_000;
/** However busy, a connection is made anew this often: its certificate was judged when it was made. */
const MAX_AGE_MS = 60_000;

/**
 * One connection to one of the addresses that were checked, made once and never again: undici would make another for
 * the next request, to wherever the name leads by then. It serves one exchange at a time.
 */
export class PublicConnection {
  #socket: Socket | null = null;
  #isOver = false;
  readonly #place: PublicPlace;
  readonly #destination: Destination;
  readonly #client: Client;
  readonly #bornAt = performance.now();

  constructor(place: PublicPlace, destination: Destination) {
    this.#place = place;
    this.#destination = destination;
    this.#client = new Client(place.origin, {
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      connect: this.#connect,
    });
    this.#client.on('disconnect', () => this.end());
  }

  dispatch(request: Omit<Dispatcher.DispatchOptions, 'origin'>, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(request, handler);
  }

  /** Whether it may serve a request that was allowed to go to `destination`, of which it is one address. */
  serves(place: PublicPlace, { addresses, port, trust }: Destination): boolean {
    const own = this.#socket?.remoteAddress;
    if (this.#isOver || own === undefined || performance.now() - this.#bornAt > MAX_AGE_MS) return false;
    return (
      place.origin === this.#place.origin &&
      port === this.#destination.port &&
      trust === this.#destination.trust &&
      addresses.map(plain).includes(plain(own))
    );
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // A client that is still connecting would leave its socket to the system's own time-out, minutes away.
    this.#socket?.destroy();
    this.#client.destroy().catch(() => {});
  }

  readonly #connect: buildConnector.connector = (options, tell) => {
    if (this.#socket !== null || this.#isOver) return tell(new Error('a connection is made once'), null);
    const { addresses, port, trust } = this.#destination;
    const { host, isLiteral } = this.#place;
    const checked = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    const connector = buildConnector({
      allowH2: false,
      // A resumed session skips the check of the certificate's name.
      maxCachedSessions: 0,
      // The exchange's own timer is the only one.
      timeout: 0,
      autoSelectFamily: true,
      // The one look-up was made before: the addresses that were checked are those that are connected to.
      lookup: (_name, { all }, told) =>
        all === true ? told(null, checked) : told(null, checked[0]!.address, checked[0]!.family),
      secureContext: trust,
    });
    const socket: unknown = connector(
      { ...options, hostname: host, port: String(port), ...(isLiteral ? {} : { servername: host }) },
      tell,
    );
    this.#socket = socket as Socket;
  };
}

/** One spelling for each address. */
function plain(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.parse(address).toNormalizedString() : address;
}
