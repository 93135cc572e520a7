import { describe, expect, it } from 'vitest';
import { aWorkspace, type Scenario } from '#testing/scenario.ts';

const HASH = 'the hash of a value';

const creating = (workspace: Scenario) => {
  const memberId = Object.keys(workspace.workspace.members)[0]!;
  return {
    type: 'CreateKey',
    keyId: workspace.uuid(),
    memberId,
    name: 'a key',
    permissions: [],
    tokenHash: HASH,
  } as const;
};

const LIMITS = { expiresAt: null, readOnly: false, allowedIps: [] };

describe('a key that only reads', () => {
  it('changes nothing, whatever it asks for', () => {
    const workspace = aWorkspace();
    const command = creating(workspace);
    workspace.must({ ...command, limits: { ...LIMITS, readOnly: true } });
    const credential = { kind: 'key', keyId: command.keyId } as const;
    const before = workspace.state;
    for (const asked of [
      { type: 'CancelPost', postId: workspace.uuid() },
      { type: 'DeleteEndpoint', endpointId: workspace.uuid() },
      { type: 'RevokeKey', keyId: command.keyId },
    ] as const) {
      expect(workspace.tell({ ...asked, credential }).result).toMatchObject({ ok: false, code: 'forbidden' });
      expect(workspace.state).toEqual(before);
    }
  });

  it('can not be made with a permission that changes something', () => {
    const workspace = aWorkspace();
    const asked = { ...creating(workspace), limits: { ...LIMITS, readOnly: true } };
    for (const permission of ['posts:publish', 'webhooks:manage'] as const) {
      expect(workspace.tell({ ...asked, permissions: [permission] }).result).toMatchObject({ code: 'invalid_request' });
    }
    workspace.must({ ...asked, permissions: ['posts:schedule'] });
  });
});

it('a key can not be made that has expired already', () => {
  const workspace = aWorkspace();
  const asked = (expiresAt: number) => ({ ...creating(workspace), limits: { ...LIMITS, expiresAt } });
  expect(workspace.tell(asked(workspace.now)).result).toMatchObject({ ok: false, code: 'invalid_request' });
  workspace.must(asked(workspace.now + 1));
});

describe("a key's value", () => {
  it('that another Workspace owns makes no key, and the refusal names no Workspace', () => {
    const workspace = aWorkspace();
    workspace.tokenOwners.set(HASH, 'another');
    const before = workspace.state;
    const { result, effects } = workspace.tell(creating(workspace));
    expect([result, effects, workspace.state]).toEqual([
      { ok: false, code: 'key_taken', message: expect.not.stringContaining('another Workspace') },
      [],
      before,
    ]);
  });

  it('may be that of several keys of its own Workspace', () => {
    const workspace = aWorkspace();
    workspace.must(creating(workspace));
    workspace.must(creating(workspace));
    expect(Object.values(workspace.workspace.keys).map(({ tokenHash }) => tokenHash)).toEqual([HASH, HASH]);
  });
});
