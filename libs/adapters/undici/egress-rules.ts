import { isIP } from 'node:net';
import { isWithin } from '#ports/address-ranges.ts';
import { UnsafeAddress } from '#ports/public-http.ts';

/**
 * Where requests to addresses that users choose may go, within the public internet. An entry is an address, a range as
 * in 203.0.113.0/24, a name, or a name behind a dot, which stands for all names below it and itself.
 */
export interface EgressRules {
  /** Empty: everywhere that is not denied. */
  readonly allow: readonly string[];
  /** Also what is allowed is refused where it is denied. */
  readonly deny: readonly string[];
}

export const NO_EGRESS_RULES: EgressRules = { allow: [], deny: [] };

/** Throws `UnsafeAddress` for a name, or an address in its place, that the rules name as denied. */
export function checkHost({ deny }: EgressRules, host: string): void {
  if (isIP(host) === 0 && deny.some((entry) => namesHost(entry, host))) throw refusal(host);
}

/** Throws `UnsafeAddress` unless all addresses of the host may be connected to. */
export function checkAddresses(rules: EgressRules, host: string, addresses: readonly string[]): void {
  if (addresses.some((address) => isWithin(rules.deny, address))) throw refusal(host);
  if (rules.allow.length === 0 || rules.allow.some((entry) => namesHost(entry, host))) return;
  if (!addresses.every((address) => isWithin(rules.allow, address))) throw refusal(host);
}

function refusal(host: string): UnsafeAddress {
  return new UnsafeAddress(`The operator of this installation does not allow requests to ${host.slice(0, 100)}.`);
}

function namesHost(entry: string, host: string): boolean {
  const name = host.replace(/\.$/, '');
  return entry.startsWith('.') ? name === entry.slice(1) || name.endsWith(entry) : name === entry;
}
