/** A range of addresses that no server of the public internet has. */
export interface SpecialRange {
  readonly range: string;
  /** What it is for. */
  readonly use: string;
}

/**
 * The registries of IANA: IPv4 and IPv6 Special-Purpose Address Space (RFC 6890 and its updates), multicast, and the
 * IPv6 space that is assigned to nobody. Where a registry says that a range is globally reachable, a router in between
 * decides where it leads (anycast relays, AS112), so it is here too.
 */
const BY_IANA: readonly SpecialRange[] = [
  { range: '0.0.0.0/8', use: 'this network (RFC 791)' },
  { range: '10.0.0.0/8', use: 'private use (RFC 1918)' },
  { range: '100.64.0.0/10', use: 'shared by carriers (RFC 6598); metadata and services of Alibaba and Huawei' },
  { range: '127.0.0.0/8', use: 'loopback (RFC 1122)' },
  { range: '169.254.0.0/16', use: 'link-local (RFC 3927); metadata of most clouds' },
  { range: '172.16.0.0/12', use: 'private use (RFC 1918)' },
  { range: '192.0.0.0/24', use: 'protocol assignments (RFC 6890); metadata of Oracle before 2019' },
  { range: '192.0.2.0/24', use: 'documentation (RFC 5737)' },
  { range: '192.31.196.0/24', use: 'AS112 (RFC 7535)' },
  { range: '192.52.193.0/24', use: 'multicast relays (RFC 7450)' },
  { range: '192.88.99.0/24', use: '6to4 relays (RFC 7526)' },
  { range: '192.168.0.0/16', use: 'private use (RFC 1918)' },
  { range: '192.175.48.0/24', use: 'AS112 (RFC 7534)' },
  { range: '198.18.0.0/15', use: 'benchmarks (RFC 2544)' },
  { range: '198.51.100.0/24', use: 'documentation (RFC 5737)' },
  { range: '203.0.113.0/24', use: 'documentation (RFC 5737)' },
  { range: '224.0.0.0/4', use: 'multicast (RFC 5771)' },
  { range: '240.0.0.0/4', use: 'reserved (RFC 1112), and the broadcast address' },
  { range: '2001::/23', use: 'protocol assignments (RFC 2928): Teredo, benchmarks, ORCHID, drones' },
  { range: '2001:db8::/32', use: 'documentation (RFC 3849)' },
  { range: '2002::/16', use: '6to4 (RFC 3056)' },
  { range: '2620:4f:8000::/48', use: 'AS112 (RFC 7534)' },
  { range: '2d00::/8', use: 'assigned to nobody' },
  { range: '2e00::/7', use: 'assigned to nobody' },
  { range: '3000::/4', use: 'assigned to nobody; once 6bone (3ffe::/16), documentation (3fff::/20, RFC 9637)' },
];

/**
 * Registered as anybody's addresses are, but they answer only inside a cloud, or by who asks: what their providers
 * document. The metadata services of the other clouds are link-local, shared or unique-local.
 */
const BY_CLOUDS: readonly SpecialRange[] = [
  { range: '168.63.129.16/32', use: "Azure: the platform's channel (What is IP address 168.63.129.16)" },
  { range: '161.26.0.0/16', use: 'IBM Cloud: infrastructure (IBM Cloud IP ranges, service network)' },
  { range: '166.8.0.0/14', use: 'IBM Cloud: services at private endpoints (IBM Cloud IP ranges)' },
  { range: '199.36.153.4/30', use: 'Google Cloud: restricted.googleapis.com (Private Google Access)' },
  { range: '199.36.153.8/30', use: 'Google Cloud: private.googleapis.com (Private Google Access)' },
  { range: '2600:2d00:2:1000::/64', use: 'Google Cloud: restricted.googleapis.com (Private Google Access)' },
  { range: '2600:2d00:2:2000::/64', use: 'Google Cloud: private.googleapis.com (Private Google Access)' },
  { range: '183.60.82.98/32', use: 'Tencent Cloud: names and services of its private networks (Private Network DNS)' },
  { range: '183.60.83.19/32', use: 'Tencent Cloud: names and services of its private networks (Private Network DNS)' },
  {
    range: '192.80.8.124/32',
    use: 'Equinix Metal: metadata over https, told to each server by its address (Metadata)',
  },
];

export const SPECIAL_RANGES: readonly SpecialRange[] = [...BY_IANA, ...BY_CLOUDS];
