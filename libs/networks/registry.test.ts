import { expect, test } from 'vitest';
import { createNetworks, liveEndpoints, sandboxEndpoints } from './registry.ts';

test('a sandbox has every Network under a path of its own', () => {
  expect(sandboxEndpoints('http://127.0.0.1:8090/')).toEqual({
    x: { api: 'http://127.0.0.1:8090/sim/x', authorize: 'http://127.0.0.1:8090/sim/x/i/oauth2/authorize', site: 'http://127.0.0.1:8090/sim/x', hosts: {}, clientId: 'crier-sandbox', clientSecret: 'crier-sandbox-secret' },
    threads: { api: 'http://127.0.0.1:8090/sim/threads', authorize: 'http://127.0.0.1:8090/sim/threads/oauth/authorize', site: 'http://127.0.0.1:8090/sim/threads', hosts: {}, clientId: 'crier-sandbox', clientSecret: 'crier-sandbox-secret' },
  });
});

test('a real Network needs whole credentials', () => {
  const endpoints = liveEndpoints({ x: { clientId: 'id', clientSecret: 'secret' }, threads: { clientId: 'id', clientSecret: '' } });
  expect(endpoints).toEqual({ x: { api: 'https://api.x.com', authorize: 'https://x.com/i/oauth2/authorize', site: 'https://x.com', hosts: {}, clientId: 'id', clientSecret: 'secret' } });
  const networks = createNetworks(endpoints);
  expect(Object.keys(networks.adapters)).toEqual(['x']);
  expect(Object.keys(networks.auths)).toEqual(['x']);
  expect(Object.keys(networks.limits).sort()).toEqual(['threads', 'x']);
});
