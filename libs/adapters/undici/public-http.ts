import { lookup as lookUpOnMachine } from 'node:dns/promises';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { UnsafeAddress, type PublicHttp, type PublicRequest } from '#ports/public-http.ts';
import { KeptConnections } from './kept-connections.ts';
import { createNameLookup, type NameLookup } from './name-lookup.ts';
import { checkAddresses, checkHost, NO_EGRESS_RULES, type EgressRules } from './egress-rules.ts';
import { isPublicIp, placeOf, type PublicPlace } from './public-address.ts';
import type { Destination } from './public-connection.ts';
import { PublicExchange } from './public-exchange.ts';

/**
 * Requests to `https://<name>`, port 443, go to `host:port` (an IP address, or a name that this machine knows) instead,
 * and count as public.
 */
export interface EgressOverride {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** PEM of the authority that is trusted for this name, and for no other. Default: the machine's authorities. */
  readonly ca?: string;
}

export interface PublicHttpOptions {
  /** As a function: called for each request, for places that are known only later. */
  readonly overrides?: readonly EgressOverride[] | (() => readonly EgressOverride[]);
  readonly lookup?: NameLookup;
  /**
   * The user agent of requests that have none of their own, so that the operator of the other server knows whom to
   * contact. Default: none.
   */
  readonly userAgent?: string;
  /** Default: everything on the public internet. Overrides are not judged by them. */
  readonly rules?: EgressRules;
  /** An HTTP proxy that tunnels, for all but overrides; null or left out: none. */
  readonly proxy?: URL | null;
  /** PEM of the authorities that are trusted instead of the machine's. */
  readonly ca?: string;
}

/**
 * The guarded client for addresses that users choose. Each request looks its name up anew; every address of the answer
 * must be on the public internet, and the connection goes to exactly one of these, with the certificate checked against
 * the name. A name with one private address among public ones is refused as a whole: that happens only on purpose, by
 * an owner who makes the public address fail. A connection may serve a second request of the same name within a moment,
 * when the new look-up gives its address again. Nothing else outlives a request: no TLS session, no cookie; and no
 * proxy variable of the environment is read.
 */
export function createPublicHttp(options: PublicHttpOptions = {}): PublicHttp & { close(): Promise<void> } {
  const { overrides = [], lookup = createNameLookup(), userAgent, ca: ownCa } = options;
  const { rules = NO_EGRESS_RULES, proxy = null } = options;
  const underWay = new Set<PublicExchange>();
  const connections = new KeptConnections();
  // Made once for each authority: a context costs more than the handshake that uses it.
  const trusts = new Map<string | undefined, SecureContext>();
  const trustOf = (ca = ownCa): SecureContext => {
    const known = trusts.get(ca) ?? createSecureContext(ca === undefined ? {} : { ca });
    trusts.set(ca, known);
    return known;
  };
  const overrideOf = (name: string): EgressOverride | undefined =>
    (typeof overrides === 'function' ? overrides() : overrides).find((one) => one.name === name);
  return {
    async send(request) {
      const place = placeOf(request.url, (name) => overrideOf(name) !== undefined);
      const exchange = new PublicExchange(
        userAgent === undefined ? request : saying(userAgent, request),
        place,
        connections,
        (over) => underWay.delete(over),
      );
      underWay.add(exchange);
      return exchange.send((signal) =>
        destinationOf(place, { override: overrideOf(place.host), lookup, trustOf, rules, proxy }, signal),
      );
    },
    async close() {
      for (const exchange of underWay) exchange.giveUp('was not waited for');
      connections.close();
    },
  };
}

function saying(userAgent: string, request: PublicRequest): PublicRequest {
  const { headers = {} } = request;
  return Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent')
    ? request
    : { ...request, headers: { 'user-agent': userAgent, ...headers } };
}

interface Ways {
  readonly override: EgressOverride | undefined;
  readonly lookup: NameLookup;
  readonly trustOf: (ca?: string) => SecureContext;
  readonly rules: EgressRules;
  readonly proxy: URL | null;
}

async function destinationOf(
  place: PublicPlace,
  { override, lookup, trustOf, rules, proxy }: Ways,
  signal: AbortSignal,
): Promise<Destination> {
  if (override !== undefined) {
    const { host, port, ca } = override;
    const found =
      isIP(host) === 0 ? (await lookUpOnMachine(host, { all: true })).map(({ address }) => address) : [host];
    return { addresses: found, port, trust: trustOf(ca), proxy: null };
  }
  checkHost(rules, place.host);
  const way = { port: 443, trust: trustOf(), proxy };
  if (place.isLiteral) {
    checkAddresses(rules, place.host, [place.host]);
    return { addresses: [place.host], ...way };
  }
  const addresses = await lookup(place.host, signal);
  if (addresses.length === 0) throw new UnsafeAddress(`There is no ${place.host} on the internet.`);
  // The message does not say which address it is: it may come from a name server that only this machine's network has.
  if (!addresses.every(isPublicIp))
    throw new UnsafeAddress(`${place.host} leads to an address that is not on the public internet.`);
  checkAddresses(rules, place.host, addresses);
  return { addresses, ...way };
}
