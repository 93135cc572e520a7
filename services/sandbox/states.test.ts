import { describe, expect, test } from 'vitest';
import { createHarness, REDIRECT, signInThreads, signInX, threadsAuthorizeUrl } from './sandbox.fixture.ts';
import { createMemoryStore } from './store/memory-store.ts';

const put = (network: string, state: string, more: object = {}) => ({ json: { network, state, ...more } });

describe('states of apps', () => {
  test('an app is audited until it is said otherwise, and again once it is audited', async () => {
    const { ask } = createHarness();
    const stateOf = async (network: string) =>
      (await ask('GET', '/sandbox/apps')).body.apps.find((app: { network: string }) => app.network === network);
    expect((await ask('GET', '/sandbox/apps')).body.apps.map(({ state }: { state: string }) => state)).toEqual(
      Array(6).fill('audited'),
    );
    await ask('POST', '/sandbox/apps', put('threads', 'missing_scopes', { scopes: ['threads_basic'] }));
    expect(await stateOf('threads')).toEqual({
      network: 'threads',
      state: 'missing_scopes',
      scopes: ['threads_basic'],
    });
    await ask('POST', '/sandbox/apps', put('threads', 'audited'));
    expect(await stateOf('threads')).toEqual({ network: 'threads', state: 'audited', scopes: [] });
  });

  test('a state survives a restart', async () => {
    const store = createMemoryStore();
    await createHarness({ store }).ask('POST', '/sandbox/apps', put('tiktok', 'unaudited'));
    const { body } = await createHarness({ store }).ask('GET', '/sandbox/apps');
    expect(body.apps).toContainEqual({ network: 'tiktok', state: 'unaudited', scopes: [] });
  });

  test.each([
    ['an unknown state', put('tiktok', 'famous')],
    ['a state that the Network does not have', put('x', 'business_login')],
    ['no scopes where they are needed', put('tiktok', 'missing_scopes')],
    ['scopes that are none', put('tiktok', 'missing_scopes', { scopes: [7] })],
    ['scopes where none are needed', put('tiktok', 'audited', { scopes: ['video.list'] })],
    ['an unknown Network', put('myspace', 'audited')],
    ['an unknown field', put('tiktok', 'audited', { since: 1 })],
  ])('%s is refused and changes nothing', async (_what, body) => {
    const { ask } = createHarness();
    expect((await ask('POST', '/sandbox/apps', body)).status).toBe(400);
    expect((await ask('GET', '/sandbox/apps')).text).not.toMatch(/unaudited|missing|business/);
  });

  test('a sign-in that asks for a scope that the app lacks is refused whole, with or without a person', async () => {
    const { ask } = createHarness();
    const scopes = ['threads_content_publish'];
    await ask('POST', '/sandbox/apps', put('threads', 'missing_scopes', { scopes }));
    const { status, headers, text } = await ask('GET', threadsAuthorizeUrl());
    expect(status === 400 ? text : headers['location']).toContain('threads_content_publish');
    expect(headers['location'] ?? REDIRECT).not.toContain('code=');
    expect((await ask('GET', threadsAuthorizeUrl({ scope: 'threads_basic' }))).headers['location']).toContain('code=');
  });
});

describe('states of accounts', () => {
  test('a state is one of the Network of the account; an unknown account is not found', async () => {
    const harness = createHarness();
    const [ada, grace] = [await signInX(harness), await signInThreads(harness)];
    const change = async (accountId: string, json: object) =>
      (await harness.ask('POST', `/sandbox/accounts/${accountId}/state`, { json })).status;
    expect(await change(grace.accountId, { state: 'lost_container' })).toBe(200);
    expect(await change(grace.accountId, { state: 'lost_container', count: 3 })).toBe(200);
    expect(await change(grace.accountId, { state: 'lost_container', count: 0 })).toBe(400);
    expect(await change(grace.accountId, { state: 'portfolio' })).toBe(400);
    expect(await change(ada.accountId, { state: 'portfolio' })).toBe(400);
    expect(await change('12', { state: 'portfolio' })).toBe(404);
  });
});
