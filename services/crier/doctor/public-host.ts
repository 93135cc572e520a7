import { BlockList, isIP } from 'node:net';

/** Ranges that are not reachable from the internet: private, loopback, link-local, shared, documentation and others. */
const PRIVATE = new BlockList();
const SUBNETS = [
  ...[
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
  ],
  ...[
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/3',
    '::/127',
    'fc00::/7',
    'fe80::/10',
    'ff00::/8',
    '2001:db8::/32',
  ],
];
for (const subnet of SUBNETS) {
  const [network, length] = subnet.split('/') as [string, string];
  PRIVATE.addSubnet(network, Number(length), isIP(network) === 6 ? 'ipv6' : 'ipv4');
}

const PRIVATE_NAMES = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|test|invalid|home\.arpa)$/;

/**
 * Whether `host`, as `URL.hostname` writes it, looks reachable from the internet. Names are judged by their form: none
 * is looked up in the DNS.
 */
export function isPublicHost(host: string): boolean {
  const name = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const family = isIP(name);
  if (family !== 0) return !PRIVATE.check(name, family === 6 ? 'ipv6' : 'ipv4');
  return name.includes('.') && !PRIVATE_NAMES.test(name);
}
