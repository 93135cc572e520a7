import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { UnsafeAddress } from '#ports/public-http.ts';

/** An address whose text allows a request; where it leads is known after its name is looked up. */
export interface PublicPlace {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** Lower case, punycode, no brackets. */
  readonly host: string;
  /** The host is an IP address itself, so there is no name to look up. */
  readonly isLiteral: boolean;
}

const MAX_CHARACTERS = 4_096;
/**
 * Letters, digits, `_` and `-` in at least two labels: other characters that a URL allows are in no name of the public
 * DNS.
 */
const NAME = /^(?=.{1,253}$)[a-z\d_-]{1,63}(\.[a-z\d_-]{1,63})+$/;
/**
 * Names that mean something on one machine or in one network only, including the sandbox's; some resolvers answer them
 * without a query.
 */
const PRIVATE_NAME = /\.(localhost|local|internal|home\.arpa|onion|invalid|test|sandbox)$/;
/**
 * Registered as unicast, but they answer only inside a cloud: Azure's platform channel, and the service networks of IBM
 * Cloud for its infrastructure (161.26.0.0/16) and its services (166.8.0.0/14), which are routed to customers' private
 * networks alone. The metadata services of the other clouds are link-local, shared or unique-local.
 */
const NOT_OF_THE_INTERNET = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map(
  (range) => ipaddr.parseCIDR(range) as [ipaddr.IPv4, number],
);

/**
 * `isKnown`: names that count as public because an operator configured where they are. Only the parsed form is judged:
 * WHATWG URL has by then turned every spelling of an IPv4 address (decimal, octal, hexadecimal, short, full-width, with
 * a dot at the end) into four numbers. Throws `UnsafeAddress`.
 */
export function placeOf(address: string, isKnown: (name: string) => boolean = () => false): PublicPlace {
  if (address.length > MAX_CHARACTERS)
    throw new UnsafeAddress(`The address is longer than ${MAX_CHARACTERS} characters.`);
  if (!URL.canParse(address)) throw new UnsafeAddress('This is not an address.');
  const url = new URL(address);
  if (url.protocol !== 'https:') throw new UnsafeAddress('The address must begin with https://.');
  if (url.port !== '') throw new UnsafeAddress('The address must use the standard port, 443.');
  if (url.username !== '' || url.password !== '')
    throw new UnsafeAddress('The address must not hold a user name or a password.');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const place = { origin: url.origin, path: url.pathname + url.search, host };
  if (isIP(host) !== 0) {
    if (!isPublicIp(host)) throw new UnsafeAddress(`${host} is not on the public internet.`);
    return { ...place, isLiteral: true };
  }
  if (isKnown(host)) return { ...place, isLiteral: false };
  if (!NAME.test(host) || PRIVATE_NAME.test(host))
    throw new UnsafeAddress(`${host.slice(0, 100)} is not a name on the public internet.`);
  return { ...place, isLiteral: false };
}

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/**
 * Accepts only unicast addresses of the public internet. Forms that carry an IPv4 address (mapped, NAT64, 6to4, Teredo,
 * compatible) are refused and not unwrapped: a router in between decides where they lead. IPv6 must lie in the one
 * block that is allocated.
 */
export function isPublicIp(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4
    ? !NOT_OF_THE_INTERNET.some((range) => address.match(range))
    : address.match(GLOBAL_UNICAST);
}
