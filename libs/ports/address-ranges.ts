import { BlockList, isIP, isIPv4 } from 'node:net';

const MAPPED = /^(?:\[?)::ffff:(\d+\.\d+\.\d+\.\d+)(?:\]?)$/i;
/** Some proxies forward the port as well, which differs with each connection. */
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/;

/** Without a port, brackets or zone, and as IPv4 where it only carries such an address. */
export function bareAddressOf(address: string | undefined): string {
  const [, four, six] = WITH_PORT.exec(address ?? '') ?? [];
  const bare = four ?? six ?? address ?? '';
  return MAPPED.exec(bare)?.[1] ?? bare.split('%')[0]!;
}

/** An address, or one with a prefix length as in 10.0.0.0/8. */
export function isAddressRange(text: string): boolean {
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || more.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

/** By the list itself: a key's and an operator's are looked at with each request. */
const built = new WeakMap<readonly string[], BlockList>();

/**
 * Whether an address, as a connection or a forwarded header has it, lies in one of the ranges. What is no range, as
 * `isAddressRange` says, holds no address. The list must not change: it is read once.
 */
export function isWithin(ranges: readonly string[], address: string | undefined): boolean {
  const bare = bareAddressOf(address);
  const family = isIP(bare);
  if (family === 0) return false;
  const list = built.get(ranges) ?? listOf(ranges);
  built.set(ranges, list);
  return list.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges.filter(isAddressRange)) {
    const [start = '', length] = range.split('/');
    const family = isIPv4(start) ? 'ipv4' : 'ipv6';
    list.addSubnet(start, length === undefined ? (family === 'ipv4' ? 32 : 128) : Number(length), family);
  }
  return list;
}
