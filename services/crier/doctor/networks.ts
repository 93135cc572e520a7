import { NETWORKS, type Network } from '#domain/network.ts';
import { ConfigError, type Config } from '#config/config.ts';
import { ownAddressesOf, publicUrlOf } from '#config/own-addresses.ts';
import { networkDefinitions } from '#networks/registry.ts';
import { callbackAddress } from '../compose/callback-address.ts';
import type { DoctorFinding } from './finding.ts';
import { addressesOf, networksOf } from '../compose/networks.ts';
import { isPublicHost } from './public-host.ts';

/** What `crier doctor` finds about Networks. It calls none of them: it checks that credentials are set, not valid. */
export function networkFindings(config: Config): readonly DoctorFinding[] {
  const finding = (check: string, ok: boolean, detail: string): DoctorFinding => ({ check, ok, detail: detail });
  let connectable: readonly Network[];
  try {
    connectable = connectableNetworks(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [finding('networks', false, error.message)];
  }
  if (config.networks === 'sandbox') return [finding('networks', true, 'the sandbox; nothing reaches a real Network')];
  const publicUrl = publicUrlOf(config);
  const problem = problemWith(publicUrl, config.publicUrl === null);
  const fetching = connectable.filter((network) => networkDefinitions[network].fetches !== null);
  return [
    finding('networks', true, `live: ${connectable.join(', ')}`),
    ...NETWORKS.map((network) =>
      finding(network, true, connectable.includes(network) ? setUp(network, config) : notSetUp(network)),
    ),
    finding(
      'redirect address',
      problem === null,
      problem ?? `register ${callbackAddress(publicUrl, '<network>')} with each app`,
    ),
    ...fetching.map((network) => finding(`files of ${network}`, ...fetchedFrom(network, config))),
  ];
}

/** Those whose app is set up; with the sandbox all of them. Throws ConfigError. */
export function connectableNetworks(config: Config): readonly Network[] {
  const { auths } = networksOf(config, 'http://sandbox');
  return NETWORKS.filter((network) => auths[network] !== undefined);
}

function setUp(network: Network, config: Config): string {
  const { api, authorize } = addressesOf(config)[network];
  const login = networkDefinitions[network].loginOf?.(config) ?? null;
  return `id and secret are set; calls go to ${api}, people to ${authorize}${login === null ? '' : `, by ${login}`}`;
}

function notSetUp(network: Network): string {
  const variable = `CRIER_${network.toUpperCase()}_CLIENT`;
  return `not set up, so nothing can be connected or published there; it takes ${variable}_ID and ${variable}_SECRET`;
}

/** Why Networks can't send people and requests to `publicUrl`; null: they can, as far as its address shows. */
function problemWith(publicUrl: string, isDefault: boolean): string | null {
  const { protocol, hostname } = new URL(publicUrl);
  const what = isDefault
    ? `CRIER_PUBLIC_URL is not set, which makes it ${publicUrl}`
    : `CRIER_PUBLIC_URL is ${publicUrl}`;
  if (protocol !== 'https:') return `${what}: Networks send people back to https only`;
  return isPublicHost(hostname) ? null : `${what}: Networks can't reach it from outside; use a public name`;
}

/** Whether the address at which files are served is one that `network` can fetch them from, and the words for it. */
function fetchedFrom(network: Network, config: Config): readonly [ok: boolean, detail: string] {
  const { mediaUrl } = ownAddressesOf(config);
  const what = `${network} fetches ${networkDefinitions[network].fetches} from ${mediaUrl}`;
  const { protocol, hostname } = new URL(mediaUrl);
  if (protocol === 'https:' && isPublicHost(hostname))
    return [true, `${what}: it must answer there without sign-in or redirects`];
  // Of CRIER_PUBLIC_URL the line of the redirect address says what is wrong.
  if (config.mediaUrl === null) return [false, `${what}, which it can't reach`];
  return [false, `${what}, which it can't: CRIER_MEDIA_URL has to be an https address with a public name`];
}
