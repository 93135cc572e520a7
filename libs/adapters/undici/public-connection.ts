import { isIPv6, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { openTunnel } from './egress-proxy.ts';
import type { PublicPlace } from './public-address.ts';

/** Where a request goes: the checked addresses of the name, or the one place that an operator configured for it. */
export interface Destination {
  readonly addresses: readonly string[];
  readonly port: number;
  /** The authorities that its certificate is checked against. */
  readonly trust: SecureContext;
  /** Tunnels to the addresses; null: they are connected to directly. */
  readonly proxy: URL | null;
}

const MAX_HEADER_BYTES = 16 * 1024;
/** Shorter than servers keep theirs (2 s and more), so that a kept connection is seldom closed. */
const IDLE_MS = 1_000;
/** However busy, a connection is replaced after this time: its certificate was checked only when it was made. */
const MAX_AGE_MS = 60_000;

/**
 * One connection to one of the checked addresses, made once and never again: undici would make another for the next
 * request, to the address that the name has by then. It serves one exchange at a time.
 */
export class PublicConnection {
  #socket: Socket | null = null;
  #isOver = false;
  /** Behind a proxy the socket's own address is the proxy's. */
  #tunnelledTo: string | null = null;
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

  /** Whether it may serve a request to `destination`: its address is one of the destination's. */
  serves(place: PublicPlace, { addresses, port, trust }: Destination): boolean {
    const own = this.#tunnelledTo ?? this.#socket?.remoteAddress;
    if (this.#isOver || own === undefined || performance.now() - this.#bornAt > MAX_AGE_MS) return false;
    return (
      place.origin === this.#place.origin &&
      port === this.#destination.port &&
      trust === this.#destination.trust &&
      // Nearly always they are spelt alike, and to parse them costs more than all else here.
      (addresses.includes(own) || addresses.map(plain).includes(plain(own)))
    );
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Closing a client that is still connecting would leave its socket to the system's own time-out, minutes away.
    this.#socket?.destroy();
    this.#client.destroy().catch(() => {});
  }

  readonly #connect: buildConnector.connector = (options, tell) => {
    if (this.#socket !== null || this.#isOver) return tell(new Error('a connection is made once'), null);
    const { addresses, port, trust, proxy } = this.#destination;
    const { host, isLiteral } = this.#place;
    const checked = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    const connector = buildConnector({
      allowH2: false,
      // A resumed session skips the check of the certificate's name.
      maxCachedSessions: 0,
      // The exchange's own timer is the only one.
      timeout: 0,
      autoSelectFamily: true,
      // The name was looked up before; the connection goes to the addresses that were checked.
      lookup: (_name, { all }, answer) =>
        all === true ? answer(null, checked) : answer(null, checked[0]!.address, checked[0]!.family),
      secureContext: trust,
    });
    const target = { ...options, hostname: host, port: String(port), ...(isLiteral ? {} : { servername: host }) };
    if (proxy === null) {
      const socket: unknown = connector(target, tell);
      this.#socket = socket as Socket;
      return;
    }
    this.#tunnel(proxy).then(
      (httpSocket) => {
        if (this.#isOver) return void httpSocket.destroy();
        const socket: unknown = connector({ ...target, httpSocket }, tell);
        this.#socket = socket as Socket;
      },
      (error: Error) => tell(error, null),
    );
  };

  /** To the first of the addresses that the proxy can reach. */
  async #tunnel(proxy: URL): Promise<Socket> {
    const { addresses, port } = this.#destination;
    let failure: unknown = new Error('there is no address');
    for (const address of addresses) {
      if (this.#isOver) break;
      try {
        const socket = await openTunnel(proxy, { address, port }, (opened) => (this.#socket = opened));
        this.#tunnelledTo = address;
        return socket;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}

/** One spelling for each address. */
export function plain(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.parse(address).toNormalizedString() : address;
}
