import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import type { Permission } from '#domain/workspace/state.ts';
import type { StoredApproval } from '#tables/repositories/approvals.ts';
import type { StoredCredential } from '#tables/repositories/credentials.ts';
import { createAuthenticate, tokenHashOf, type Authentication } from './authenticate.ts';
import type { AppAccess } from './dependencies.ts';

const BASE = 'https://crier.test';
const KEY = 'Bearer crier_a-key-of-this-test';
const TOKEN = 'Bearer a-token-of-an-app-in-this-test';
const clock = createMemoryClock();

const CREDENTIAL: StoredCredential = {
  workspaceId: 'w',
  keyId: 'k',
  keyName: 'Zapier',
  memberId: 'm',
  memberName: 'Ada',
  permissions: ['posts:publish'],
  revoked: false,
};
const APPROVAL: StoredApproval = {
  workspaceId: 'w',
  approvalId: 'a',
  clientId: 'c',
  name: 'Claude',
  memberId: 'm',
  memberName: 'Ada',
  accountId: 'ada',
  permissions: ['posts:schedule', 'posts:publish'],
  revoked: false,
};
const ACCESS: AppAccess = {
  resource: `${BASE}/api`,
  permissions: ['posts:schedule', 'posts:publish'],
  expiresAt: clock.now() + 1,
  approval: APPROVAL,
};

/** What the header comes to where the store has these and nothing else. */
function authenticate(
  authorization: string,
  { credential = null, access = null }: { credential?: StoredCredential | null; access?: AppAccess | null },
): Promise<Authentication> {
  const found = <T>(kept: T, header: string) => {
    return async (tokenHash: string) => (tokenHash === tokenHashOf(header.slice('Bearer '.length)) ? kept : null);
  };
  return createAuthenticate({
    findCredential: found(credential, KEY),
    findAppAccess: found(access, TOKEN),
    clock,
    publicUrl: () => BASE,
  })(authorization, 'api');
}
const limited = (expiresAt: number): StoredCredential => ({
  ...CREDENTIAL,
  limits: { expiresAt, readOnly: false, allowedIps: [] },
});

test('a key and a token that stand are let in', async () => {
  const byKey = await authenticate(KEY, { credential: CREDENTIAL });
  expect(byKey).toMatchObject({ ok: true, caller: { workspaceId: 'w', credential: { kind: 'key', keyId: 'k' } } });
  const byToken = await authenticate(TOKEN, { access: ACCESS });
  expect(byToken).toMatchObject({ ok: true, caller: { workspaceId: 'w', credential: { kind: 'app' } } });
  expect(await authenticate(KEY, { credential: limited(clock.now() + 1) })).toMatchObject({ ok: true });
});

test.each<[what: string, credential: StoredCredential | null, reason: string]>([
  ['that nothing is known of', null, 'unknown'],
  ['that was revoked', { ...CREDENTIAL, revoked: true }, 'unknown'],
  ['whose end has come', limited(clock.now()), 'expired'],
])('a key %s is refused', async (_what, credential, reason) => {
  expect(await authenticate(KEY, { credential })).toMatchObject({ ok: false, reason });
});

test.each<[what: string, access: AppAccess | null, reason: string]>([
  ['that nothing is known of', null, 'unknown'],
  ['whose approval ended', { ...ACCESS, approval: { ...APPROVAL, revoked: true } }, 'unknown'],
  ['whose end has come', { ...ACCESS, expiresAt: clock.now() }, 'expired'],
  ['for the MCP server', { ...ACCESS, resource: `${BASE}/mcp` }, 'other_resource'],
])('a token %s is refused', async (_what, access, reason) => {
  expect(await authenticate(TOKEN, { access })).toMatchObject({ ok: false, reason });
});

test.each<[asked: readonly Permission[], allowed: readonly Permission[]]>([
  [['posts:schedule'], ['posts:schedule', 'posts:publish']],
  [['posts:schedule', 'posts:publish'], ['posts:schedule']],
])('a token that asked for %j may do no more than that, nor than the %j of its approval', async (asked, allowed) => {
  const access = { ...ACCESS, permissions: asked, approval: { ...APPROVAL, permissions: allowed } };
  expect(await authenticate(TOKEN, { access })).toMatchObject({
    ok: true,
    caller: { permissions: ['posts:schedule'] },
  });
});
