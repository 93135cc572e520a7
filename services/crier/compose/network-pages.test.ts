import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NETWORKS, type Network } from '#domain/network.ts';
import type { NetworkBudget } from '#networks/contract/adapter.ts';
import { namedAddresses } from '#networks/contract/addresses.ts';
import { createNetworks, liveAddresses, liveEndpoints, networkDefinitions } from '#networks/registry.ts';
import { byFacebookLogin } from '#networks/instagram/auth.ts';
import { SETTINGS } from '#config/settings.ts';

const page = (name: string): string =>
  readFileSync(new URL(`../../../docs/networks/${name}.md`, import.meta.url), 'utf8');
const APP = { clientId: 'id', clientSecret: 'secret' };

/** What stands under a heading, up to the next one. */
function part(network: Network, heading: string): string {
  const found = new RegExp(`^## ${heading}\\n(.*?)(?=^## |$(?![\\s\\S]))`, 'ms').exec(page(network))?.[1];
  if (found === undefined) throw new Error(`docs/networks/${network}.md has nothing under "${heading}"`);
  return found;
}

/** The first cells of table rows that are code, with the second ones. */
function rows(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^\| `([^`]+)` \| ([^|]*) \|/gm)].map((match) => [match[1]!, match[2]!]));
}

function scopesOf(network: Network, addresses = liveAddresses): readonly string[] {
  const auth = createNetworks(liveEndpoints({ [network]: APP }, addresses)).auths[network]!;
  const url = new URL(
    auth.authorizeUrl({ redirectUri: 'https://crier.example.com/connect', state: 's', verifier: 'v' }),
  );
  return url.searchParams.get('scope')!.split(/[ ,]/);
}

/** As CRIER_NETWORK_BUDGETS writes it. */
function budgetsOf(network: Network, budget: NetworkBudget): readonly string[] {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const;
  const window = (ms: number): string =>
    units.filter(([, unit]) => ms % unit === 0).map(([name, unit]) => `${ms / unit}${name}`)[0]!;
  return (['account', 'app'] as const).flatMap((scope) =>
    budget[scope].length === 0
      ? []
      : [`${network}.${scope}=${budget[scope].map(({ uses, windowMs }) => `${uses}/${window(windowMs)}`).join('+')}`],
  );
}

test.each(NETWORKS)(
  '%s has a page, which the index names, with its settings, and says that it was never run there',
  (network) => {
    expect(page('README')).toContain(`[${network}](${network}.md)`);
    expect(page(network)).toContain(`**Never run against the real ${network}**`);
    const own = Object.values(SETTINGS)
      .map(({ variable }) => variable)
      .filter((variable) => variable.startsWith(`CRIER_${network.toUpperCase()}_`));
    expect(own.length).toBeGreaterThanOrEqual(2);
    for (const variable of own) expect(part(network, 'Settings')).toContain(variable);
  },
);

test.each(NETWORKS)('the page of %s has all its parts', (network) => {
  const headings = [...page(network).matchAll(/^## (.+)$/gm)].map((match) => match[1]);
  const wanted = [
    'What is published',
    'What a Channel needs',
    'Permissions',
    'The app',
    'Limits',
    'Settings',
    'Failures',
    'What is not certain',
  ];
  expect(headings).toEqual(expect.arrayContaining(wanted));
});

test.each(NETWORKS)('the page of %s names the scopes that people are asked for, and no other', (network) => {
  const asked =
    network === 'instagram'
      ? [
          ...scopesOf(network),
          ...scopesOf(network, { ...liveAddresses, instagram: byFacebookLogin(liveAddresses.instagram) }),
        ]
      : scopesOf(network);
  expect(Object.keys(rows(part(network, 'Permissions'))).toSorted()).toEqual(asked.toSorted());
  expect(networkDefinitions[network].scopes.toSorted()).toEqual(asked.toSorted());
});

test.each(NETWORKS)('the page of %s has its addresses as they are', (network) => {
  const addresses = namedAddresses(liveAddresses[network]).map(([name, address]) => [
    `${network}.${name}`,
    `\`${address}\``,
  ]);
  expect(rows(part(network, 'Settings'))).toEqual(Object.fromEntries(addresses));
});

test.each(NETWORKS)('the page of %s has its budget as it is', (network) => {
  const written = [...part(network, 'Limits').matchAll(/`([a-z]+\.(?:account|app)=[^`]+)`/g)].map((match) => match[1]);
  expect(written).toEqual(budgetsOf(network, createNetworks({}).budgets[network]));
});
