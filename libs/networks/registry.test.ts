import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NETWORKS } from '#domain/network.ts';
import { createNetworks, liveEndpoints, networkLimits, sandboxEndpoints } from './registry.ts';

test('a sandbox has each Network that it plays under a path of its own, with an app that all of them know', () => {
  const base = 'http://127.0.0.1:8090';
  const endpoints = Object.entries(sandboxEndpoints(`${base}/`));
  expect(endpoints.map(([network]) => network)).toEqual([...NETWORKS]);
  for (const [network, { api, authorize, site, hosts, clientId, clientSecret }] of endpoints) {
    for (const address of [api, authorize, site]) expect(address).toMatch(new RegExp(`^${base}/sim/${network}(/|$)`));
    for (const address of Object.values(hosts)) expect(address).toMatch(new RegExp(`^${base}/sim/[a-z]+(/|$)`));
    expect({ clientId, clientSecret }).toEqual({ clientId: 'crier-sandbox', clientSecret: 'crier-sandbox-secret' });
  }
});

test('a real Network is reached at https only', () => {
  const apps = Object.fromEntries(
    Object.keys(networkLimits).map((network) => [network, { clientId: 'id', clientSecret: 'secret' }]),
  );
  for (const { api, authorize, site, hosts } of Object.values(liveEndpoints(apps))) {
    for (const address of [api, authorize, site, ...Object.values(hosts)])
      expect(address).toMatch(/^https:\/\/[a-z0-9.-]+(\/[\w/.-]*)?$/);
  }
});

test('a real Network needs whole credentials', () => {
  const endpoints = liveEndpoints({
    x: { clientId: 'id', clientSecret: 'secret' },
    threads: { clientId: 'id', clientSecret: '' },
  });
  expect(endpoints).toEqual({
    x: {
      api: 'https://api.x.com',
      authorize: 'https://x.com/i/oauth2/authorize',
      site: 'https://x.com',
      hosts: {},
      clientId: 'id',
      clientSecret: 'secret',
    },
  });
  const networks = createNetworks(endpoints);
  expect(Object.keys(networks.adapters)).toEqual(['x']);
  expect(Object.keys(networks.auths)).toEqual(['x']);
  expect(networks.limits).toBe(networkLimits);
});

const FILES = ['adapter', 'auth', 'calls', 'definition', 'errors', 'handle', 'limits', 'media'];
const STEPS = ['prepare', 'publish', 'reconcile'];

test.each(NETWORKS)('the folder of %s has the files that every Network has', (network) => {
  const files = readdirSync(new URL(`./${network}/`, import.meta.url));
  expect(files).toEqual(expect.arrayContaining([...FILES, ...STEPS, 'targets'].map((name) => `${name}.ts`)));
});

test.each(NETWORKS)('prepare, publish and reconcile of %s are what their files are named after', async (network) => {
  for (const step of STEPS) {
    const module = (await import(`./${network}/${step}.ts`)) as Readonly<Record<string, unknown>>;
    expect(module[step], `${network}/${step}.ts`).toBeTypeOf('function');
  }
});
