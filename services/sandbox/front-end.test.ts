import { expect, test } from 'vitest';
import { NETWORKS } from '#domain/network.ts';
import { createHarness, setFault } from './sandbox.fixture.ts';

const AGENT = { 'User-Agent': 'Crier/1' };

test.each(NETWORKS)(
  '%s: a request without a User-Agent is refused by a page, before it is any call',
  async (network) => {
    const harness = createHarness({ requiresUserAgent: true });
    await setFault(harness, { network, fault: '5xx_before_commit' });
    for (const headers of [{}, { 'User-Agent': ' ' }]) {
      const { status, headers: answered, body } = await harness.ask('GET', `/sim/${network}/nowhere`, { headers });
      expect([400, 403]).toContain(status);
      expect([answered['content-type'], body]).toEqual(['text/html; charset=utf-8', null]);
    }
    expect((await harness.ask('GET', '/sandbox/faults')).body.faults.length).toBe(1);
    const { calls } = (await harness.ask('GET', `/sandbox/calls?network=${network}`)).body;
    expect(calls.map(({ call }: { call: string }) => call)).toEqual(['front_end', 'front_end']);
  },
);

test.each(NETWORKS)('%s: a request with one reaches the API', async (network) => {
  const harness = createHarness({ requiresUserAgent: true });
  const { headers } = await harness.ask('GET', `/sim/${network}/nowhere`, { headers: AGENT });
  expect(headers['content-type']).toContain('json');
});

test('the control API and its page ask for none', async () => {
  const harness = createHarness({ requiresUserAgent: true });
  for (const path of ['/', '/sandbox/items']) expect((await harness.ask('GET', path)).status).toBe(200);
});
