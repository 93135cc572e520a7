import { isIPv4, isIPv6 } from 'node:net';
import { bareAddressOf } from '#ports/address-ranges.ts';

/**
 * The holder that a client without a key counts as, by its address. IPv6 addresses count by their first 64 bits, as one
 * client has all addresses below them. A text that is no address counts as itself.
 */
export function clientHolderOf(address: string | undefined): string {
  const plain = bareAddressOf(address);
  if (isIPv4(plain) || !isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // An IPv4 address at the end stands for two groups.
  const length = groups.length + after.length + ([...groups, ...after].at(-1)?.includes('.') === true ? 1 : 0);
  const all = [...groups, ...Array.from({ length: tail === undefined ? 0 : 8 - length }, () => '0'), ...after];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
