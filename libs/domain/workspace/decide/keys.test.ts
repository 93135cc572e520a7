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
