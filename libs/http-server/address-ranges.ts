import { BlockList, isIP, isIPv4 } from 'node:net';
import { bareAddressOf } from './client-holder.ts';

/** An address, or one with a prefix length as in 10.0.0.0/8. */
export function isAddressRange(text: string): boolean {
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || more.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

/** Whether an address of a client lies in one of the ranges, each of which `isAddressRange`. */
export function isWithin(ranges: readonly string[], address: string | undefined): boolean {
  const bare = bareAddressOf(address);
  if (isIP(bare) === 0) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const [start = '', length] = range.split('/');
    const family = isIPv4(start) ? 'ipv4' : 'ipv6';
    list.addSubnet(start, length === undefined ? (family === 'ipv4' ? 32 : 128) : Number(length), family);
  }
  return list.check(bare, isIPv4(bare) ? 'ipv4' : 'ipv6');
}
