import { describe, expect, test } from 'vitest';
import type { SandboxHarness } from '../sandbox.fixture.ts';
import { SANDBOX_APP } from '../simulators.ts';
import {
  codeQuery,
  dialogUrl,
  exchangeQuery,
  facebookHarness,
  get,
  personToken,
  publish,
  draft,
  SCOPES,
  signInPage,
  signInPages,
} from './facebook.fixture.ts';

const setApp = async (harness: SandboxHarness, state: string, more: object = {}) => {
  const { status, text } = await harness.ask('POST', '/sandbox/apps', {
    json: { network: 'facebook', state, ...more },
  });
  if (status !== 200) throw new Error(text);
};

describe('an app of kind Business', () => {
  test('is sent to a page of refusal with scopes, and back with a code for its configuration', async () => {
    const harness = facebookHarness();
    await setApp(harness, 'business_login');
    for (const wrong of [{}, { config_id: '77' }]) {
      const { status, text } = await harness.ask('GET', dialogUrl(wrong));
      expect([status, text]).toEqual([400, expect.stringContaining('It looks like this app isn&#39;t available')]);
    }
    const { status, headers } = await harness.ask('GET', dialogUrl({ config_id: '77', scope: '' }));
    expect([status, headers['location']]).toEqual([302, expect.stringContaining('code=')]);
  });

  test('gets every permission of its configuration, whatever the person would decline', async () => {
    const harness = facebookHarness();
    await setApp(harness, 'business_login');
    const page = await signInPage(harness, { config_id: '77', scope: '', decline: 'pages_manage_posts' });
    const { body } = await get(harness, 'me/permissions', {}, { token: page.personToken });
    expect(body.data).toContainEqual({ permission: 'pages_manage_posts', status: 'granted' });
    expect(body.data).toContainEqual({ permission: 'business_management', status: 'granted' });
    expect((await publish(harness, page, await draft(harness, page, 'Hello'))).status).toBe(200);
  });

  test('any other app has no configurations', async () => {
    const { status, text } = await facebookHarness().ask('GET', dialogUrl({ config_id: '77' }));
    expect([status, text]).toEqual([400, expect.stringContaining('config_id')]);
  });

  test('again an ordinary app, it signs in with scopes', async () => {
    const harness = facebookHarness();
    await setApp(harness, 'business_login');
    await setApp(harness, 'audited');
    expect((await harness.ask('GET', dialogUrl())).status).toBe(302);
  });
});

test('an app that lacks scopes is refused at the dialog in the words of Facebook', async () => {
  const harness = facebookHarness();
  await setApp(harness, 'missing_scopes', { scopes: ['pages_manage_posts', 'publish_video'] });
  const { status, text } = await harness.ask('GET', dialogUrl());
  expect(status).toBe(400);
  expect(text).toContain('Invalid Scopes: pages_manage_posts. This message is only shown to developers.');
  expect((await harness.ask('GET', dialogUrl({ scope: 'pages_show_list' }))).status).toBe(302);
});

describe('the Page of a portfolio', () => {
  const several = { account_kind: 'several' };
  const inPortfolio = async (harness: SandboxHarness, pageId: string) => {
    const { status, text } = await harness.ask('POST', `/sandbox/accounts/${pageId}/state`, {
      json: { state: 'portfolio' },
    });
    if (status !== 200) throw new Error(text);
  };

  test('is left out of the list beside others, named by the token, and read by its id', async () => {
    const harness = facebookHarness();
    const [first, second] = await signInPages(harness, several);
    await inPortfolio(harness, second!.pageId);
    const token = await personToken(harness, { account: first!.pageId });
    const { body } = await get(harness, 'me/accounts', { fields: 'id' }, { token });
    expect(body.data).toEqual([{ id: first!.pageId }]);
    const { data } = (
      await get(harness, 'debug_token', {
        input_token: token,
        access_token: `${SANDBOX_APP.clientId}|${SANDBOX_APP.clientSecret}`,
      })
    ).body;
    expect(data.granular_scopes).toContainEqual({
      scope: 'pages_manage_posts',
      target_ids: [first!.pageId, second!.pageId],
    });
    const page = await get(harness, second!.pageId, { fields: 'id,name,access_token' }, { token });
    expect(page.body).toMatchObject({ id: second!.pageId, access_token: expect.any(String) });
  });

  test('is listed once business_management is granted', async () => {
    const harness = facebookHarness();
    const page = await signInPage(harness);
    await inPortfolio(harness, page.pageId);
    const listed = async (scope: string) => {
      const token = await personToken(harness, { account: page.pageId, scope });
      return (await get(harness, 'me/accounts', { fields: 'id' }, { token })).body.data;
    };
    expect(await listed(SCOPES)).toEqual([]);
    expect(await listed(`${SCOPES},business_management`)).toEqual([{ id: page.pageId }]);
  });
});

describe('a declined permission', () => {
  const statusOf = async (harness: SandboxHarness, extra: Readonly<Record<string, string>>) => {
    const token = await personToken(harness, extra);
    const { body } = await get(harness, 'me/permissions', {}, { token });
    return body.data.find(({ permission }: { permission: string }) => permission === 'pages_manage_posts').status;
  };

  test('is asked for again only with auth_type=rerequest', async () => {
    const harness = facebookHarness();
    const { pageId } = await signInPage(harness, { decline: 'pages_manage_posts' });
    expect(await statusOf(harness, { account: pageId })).toBe('declined');
    expect(await statusOf(harness, { account: pageId, auth_type: 'rerequest' })).toBe('granted');
    expect(await statusOf(harness, { account: pageId })).toBe('granted');
  });

  test('is asked for again once the person removed the app', async () => {
    const harness = facebookHarness();
    const { pageId } = await signInPage(harness, { decline: 'pages_manage_posts' });
    await harness.ask('POST', `/sandbox/accounts/${pageId}/revoke`);
    expect(await statusOf(harness, { account: pageId })).toBe('granted');
  });

  test('can be declined again', async () => {
    const harness = facebookHarness();
    const { pageId } = await signInPage(harness, { decline: 'pages_manage_posts' });
    const again = { account: pageId, auth_type: 'rerequest', decline: 'pages_manage_posts' };
    expect(await statusOf(harness, again)).toBe('declined');
    expect(await statusOf(harness, { account: pageId })).toBe('declined');
  });
});

test('a code for a configuration is exchanged as any other', async () => {
  const harness = facebookHarness();
  await setApp(harness, 'business_login');
  const { headers } = await harness.ask('GET', dialogUrl({ config_id: '77', scope: '' }));
  const code = new URL(headers['location']!).searchParams.get('code')!;
  const short = await get(harness, 'oauth/access_token', codeQuery(code));
  expect((await get(harness, 'oauth/access_token', exchangeQuery(short.body.access_token))).status).toBe(200);
});
