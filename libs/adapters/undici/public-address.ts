import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { UnsafeAddress } from '#ports/public-http.ts';
import { SPECIAL_RANGES } from './special-addresses.ts';

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

/** The one block of IPv6 from which addresses are assigned. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
const SPECIAL = SPECIAL_RANGES.map(({ range }) => ipaddr.parseCIDR(range));
const SPECIAL_4 = SPECIAL.filter((range): range is [ipaddr.IPv4, number] => range[0] instanceof ipaddr.IPv4);
const SPECIAL_6 = SPECIAL.filter((range): range is [ipaddr.IPv6, number] => range[0] instanceof ipaddr.IPv6);

/**
 * Accepts only addresses that a server of the public internet can have: none of the list of special ranges, none that
 * the library takes for special. Forms that carry an IPv4 address (mapped, NAT64, 6to4, Teredo, compatible) are refused
 * and not unwrapped: a router in between decides where they lead.
 */
export function isPublicIp(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4
    ? !SPECIAL_4.some((range) => address.match(range))
    : address.match(GLOBAL_UNICAST) && !SPECIAL_6.some((range) => address.match(range));
}
