import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import type { HttpRequest } from '#ports/http-client.ts';
import { jsonAnswer, scriptedNetwork, type Scripted, type ScriptedStep } from '#testing/scripted-network.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import { connectSandboxAccount, type SandboxAccount } from './connect.ts';

const REDIRECT = 'http://127.0.0.1:8080/connect/x';
const auth = createNetworks(sandboxEndpoints('http://sandbox.test')).auths.x!;
const tokens = jsonAnswer(200, { access_token: 'a', refresh_token: 'r', expires_in: 7200 });
const profile = jsonAnswer(200, { data: { id: '77', username: 'ada', name: 'Ada' } });

function sentBack(more: (asked: URL, target: URL) => void = () => {}): (request: HttpRequest) => Scripted {
  return (request) => {
    const asked = new URL(request.url);
    const target = new URL(asked.searchParams.get('redirect_uri') ?? '');
    target.searchParams.set('code', 'code-1');
    target.searchParams.set('state', asked.searchParams.get('state') ?? '');
    more(asked, target);
    return { status: 302, headers: { location: target.href }, body: '' };
  };
}

async function connect(script: readonly ScriptedStep[], more: Partial<SandboxAccount> = {}) {
  const network = scriptedNetwork(...script);
  const answer = await connectSandboxAccount({
    http: network.http,
    auth,
    clock: createMemoryClock(),
    ids: createSeededIds(1),
    redirectUri: REDIRECT,
    name: 'Ada',
    ...more,
  });
  return { answer, asked: network.asked };
}

test('consent, code, tokens and profile in turn, with one verifier through all of it', async () => {
  const { answer, asked } = await connect([sentBack(), tokens, profile], { kind: 'Premium' });
  expect(answer).toMatchObject({
    ok: true,
    tokens: { accessToken: 'a' },
    profile: { accountId: '77', username: 'ada' },
  });
  const consent = new URL(asked[0]?.url ?? '');
  expect(consent.origin + consent.pathname).toBe('http://sandbox.test/sim/x/i/oauth2/authorize');
  expect(Object.fromEntries(consent.searchParams)).toMatchObject({
    auto_approve: '1',
    account_name: 'Ada',
    account_kind: 'Premium',
    client_id: 'crier-sandbox',
    redirect_uri: REDIRECT,
  });
  const exchange = new URLSearchParams(String(asked[1]?.body));
  expect(exchange.get('code')).toBe('code-1');
  expect(
    createHash('sha256')
      .update(exchange.get('code_verifier') ?? '')
      .digest('base64url'),
  ).toBe(consent.searchParams.get('code_challenge'));
});

test('a reconnect signs in to the account of before, and to no other', async () => {
  const { answer, asked } = await connect([sentBack(), tokens, profile], { accountId: '77' });
  expect(answer.ok).toBe(true);
  expect(new URL(asked[0]?.url ?? '').searchParams.get('account')).toBe('77');
  expect((await connect([sentBack(), tokens, profile], { accountId: '78' })).answer).toMatchObject({
    ok: false,
    refused: true,
  });
});

test.each<[string, readonly ScriptedStep[], boolean]>([
  ['a state that is not ours', [sentBack((_asked, target) => target.searchParams.set('state', 'forged'))], true],
  ['no state', [sentBack((_asked, target) => target.searchParams.delete('state'))], true],
  ['another address', [sentBack((_asked, target) => void (target.pathname = '/elsewhere'))], true],
  [
    'a denial',
    [
      sentBack(
        (_asked, target) => (target.searchParams.delete('code'), target.searchParams.set('error', 'access_denied')),
      ),
    ],
    true,
  ],
  ['a page instead of a redirect', [{ status: 400, headers: {}, body: 'no such app' }], true],
  ['trouble', [jsonAnswer(503, {})], false],
  ['no sandbox', [{ cut: 'before' }], false],
  ['a refused code', [sentBack(), jsonAnswer(400, { error: 'invalid_grant' })], true],
  ['a lost token answer', [sentBack(), { cut: 'after' }], false],
  ['a profile in trouble', [sentBack(), tokens, jsonAnswer(503, {})], false],
])('%s connects nothing', async (_name, script, refused) => {
  expect((await connect(script)).answer).toMatchObject({ ok: false, refused });
});
