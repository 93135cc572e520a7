import { lookup as lookUpOnMachine } from 'node:dns/promises';
import { UnsafeAddress, type PublicHttp } from '#ports/public-http.ts';
import { createNameLookup, type NameLookup } from './name-lookup.ts';
import { isPublicIp, placeOf, type PublicPlace } from './public-address.ts';
import { PublicExchange, type Destination } from './public-exchange.ts';

/** `https://<name>`, port 443, is asked at `host:port` (an IP address, or a name that this machine knows) instead and counts as public. */
export interface EgressOverride {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** PEM of the authority that is trusted for this name, and for no other; left out: those that the machine trusts. */
  readonly ca?: string;
}

export interface PublicHttpOptions {
  /** As a function: asked anew for each request, for places that are known only later. */
  readonly overrides?: readonly EgressOverride[] | (() => readonly EgressOverride[]);
  readonly lookup?: NameLookup;
}

/**
 * The guarded way out to addresses that users choose. Each request looks its name up afresh; every address that comes back must be of the public
 * internet, and one of exactly these is connected to, with the certificate checked against the name. A name with one private address among public
 * ones is refused as a whole: nobody has that by accident, and the public one would be tried only until it is made to fail.
 * Nothing outlives a request: no connection, no TLS session, no cookie; no proxy variable is read.
 */
export function createPublicHttp(options: PublicHttpOptions = {}): PublicHttp & { close(): Promise<void> } {
  const { overrides = [], lookup = createNameLookup() } = options;
  const underWay = new Set<PublicExchange>();
  const overrideOf = (name: string): EgressOverride | undefined => (typeof overrides === 'function' ? overrides() : overrides).find((one) => one.name === name);
  return {
    async send(request) {
      const place = placeOf(request.url, (name) => overrideOf(name) !== undefined);
      const exchange = new PublicExchange(request, place, (over) => underWay.delete(over));
      underWay.add(exchange);
      return exchange.send((signal) => destinationOf(place, overrideOf(place.host), lookup, signal));
    },
    async close() {
      for (const exchange of underWay) exchange.giveUp('was not waited for');
    },
  };
}

async function destinationOf(place: PublicPlace, override: EgressOverride | undefined, lookup: NameLookup, signal: AbortSignal): Promise<Destination> {
  if (override !== undefined) {
    const { host, port, ca } = override;
    const found = await lookUpOnMachine(host, { all: true });
    return { addresses: found.map(({ address }) => address), port, ...(ca === undefined ? {} : { ca }) };
  }
  if (place.isLiteral) return { addresses: [place.host], port: 443 };
  const addresses = await lookup(place.host, signal);
  if (addresses.length === 0) throw new UnsafeAddress(`There is no ${place.host} on the internet.`);
  // Which address it is stays unsaid: it may come from a name server that only this machine's network has.
  if (!addresses.every(isPublicIp)) throw new UnsafeAddress(`${place.host} leads to an address that is not on the public internet.`);
  return { addresses, port: 443 };
}
