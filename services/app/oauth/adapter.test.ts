import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import type { StoredApproval } from '#tables/repositories/approvals.ts';
import { adapterOf } from './adapter.ts';
import { Approvals } from './approvals.ts';
import { RecordStore } from './record-store.ts';
import { resourcesOf } from './resources.ts';

const SECRET = { secret: 'a secret of more than thirty-two characters' };
const APPROVAL: StoredApproval = {
  workspaceId: 'w',
  approvalId: 'a',
  clientId: 'c',
  name: 'Claude',
  memberId: 'm',
  memberName: 'Ada',
  accountId: 'ada',
  permissions: ['posts:schedule'],
  revoked: false,
};

test.each(['AuthorizationCode', 'RefreshToken', 'AccessToken', 'Grant'])(
  'a %s is found while its approval lives, and not a moment longer',
  async (model) => {
    const clock = createMemoryClock();
    let approval = APPROVAL;
    const secretBox = createSecretBox(SECRET);
    const store = createMemoryTableStore({ clock });
    const records = new RecordStore({ store, secretBox, clock, ids: createSeededIds(1) });
    const approvals = new Approvals({
      findApproval: async () => approval,
      sendCommand: () => Promise.reject(new Error('nothing is to be ended')),
    });
    const resources = resourcesOf('https://crier.test');
    const adapter = adapterOf({ records, approvals, resources, clock, interactionEnded: () => {} })(model);
    const payload = { kind: model, jti: 'a', grantId: 'a', aud: 'https://crier.test/mcp', scope: 'posts:schedule' };
    await adapter.upsert('a', payload, 60);
    expect(await adapter.find('a')).toMatchObject({ kind: model, jti: 'a' });
    approval = { ...APPROVAL, revoked: true };
    expect(await adapter.find('a')).toBeUndefined();
  },
);

test('a code that two requests use at once is good for one of them, and its approval ends', async () => {
  const clock = createMemoryClock();
  const ended: string[] = [];
  const records = new RecordStore({
    ...{ clock, secretBox: createSecretBox(SECRET), ids: createSeededIds(1) },
    store: createMemoryTableStore({ clock }),
  });
  const approvals = new Approvals({
    findApproval: async () => APPROVAL,
    sendCommand: async (_workspaceId, command) => {
      ended.push(JSON.stringify(command));
      return { ok: true, kind: 'done' };
    },
  });
  const resources = resourcesOf('https://crier.test');
  const codes = adapterOf({ records, approvals, resources, clock, interactionEnded: () => {} })('AuthorizationCode');
  await codes.upsert('a', { kind: 'AuthorizationCode', jti: 'a', grantId: 'a' }, 60);
  const uses = await Promise.allSettled([codes.consume('a'), codes.consume('a')]);
  expect(uses.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(ended).toEqual([JSON.stringify({ type: 'RevokeApproval', approvalId: 'a' })]);
});
