import type { Network } from '#domain/network.ts';
import type { NetworkAddresses } from './adapter.ts';

type Addresses = Readonly<Record<Network, NetworkAddresses>>;

const ENTRY = /^([a-z]+)\.([a-z]+)=(.*)$/i;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Addresses as an operator changes them: '' leaves them, else entries such as `x.api=https://x-proxy.example.com` or
 * `facebook.video=...`, each in place of one that `addresses` has. Tokens and app secrets travel to them, so only https
 * will do, or a server on this machine. Throws an Error that says what is wrong.
 */
export function changeAddresses(addresses: Addresses, changes: string): Addresses {
  if (changes.trim() === '') return addresses;
  const changed: Record<Network, NetworkAddresses> = { ...addresses };
  for (const entry of changes.split(',').map((each) => each.trim())) {
    const [, network = '', name = '', written = ''] = ENTRY.exec(entry) ?? [];
    const own = Object.hasOwn(changed, network) ? changed[network as Network] : undefined;
    if (own === undefined)
      throw new Error(
        `${network === '' ? 'an entry' : `"${network}"`} is no Network here; write entries such as x.api=https://x-proxy.example.com, separated by commas`,
      );
    changed[network as Network] = withAddress(own, name, addressOf(`${network}.${name}`, name, written), network);
  }
  return changed;
}

/** The names that `changeAddresses` takes for a Network, with what they stand for. */
export function namedAddresses({
  api,
  authorize,
  site,
  hosts,
}: NetworkAddresses): readonly (readonly [name: string, address: string])[] {
  return Object.entries({ api, authorize, site, ...hosts });
}

function withAddress(own: NetworkAddresses, name: string, address: string, network: string): NetworkAddresses {
  if (name === 'api' || name === 'authorize' || name === 'site') return { ...own, [name]: address };
  if (Object.hasOwn(own.hosts, name)) return { ...own, hosts: { ...own.hosts, [name]: address } };
  const names = namedAddresses(own).map(([each]) => `${network}.${each}`);
  throw new Error(`${network}.${name} is no address; there are ${names.join(', ')}`);
}

/** The error does not repeat what the operator wrote, because a password may be in it. */
function addressOf(what: string, name: string, written: string): string {
  const url = URL.canParse(written) ? new URL(written) : null;
  const isSafe =
    url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname)));
  if (!isSafe) throw new Error(`${what} must be an https address, or http on this machine`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new Error(`${what} must be an address without a user, a question mark or a #`);
  // Where people are sent to is used as it stands: tiktok's ends in a slash.
  return /authorize$/i.test(name) ? written : written.replace(/\/+$/, '');
}
