import { describe, expect, test } from 'vitest';
import { aWorkspace, DAY, START, type Scenario } from '#testing/scenario.ts';
import { pictureBlob } from '../channel/picture.ts';
import { MAX_STATE_BYTES, ROOMY_BYTES, withRoom } from './room.ts';

const times = (count: number, each: (index: number) => void): void => {
  for (let index = 0; index < count; index++) each(index);
};
const bytesOf = (workspace: Scenario): number => JSON.stringify(workspace.workspace).length;
const owner = (workspace: Scenario): string => Object.keys(workspace.workspace.members)[0]!;

function addMember(workspace: Scenario, name: string): string {
  const memberId = workspace.uuid();
  workspace.must({ type: 'AddMember', memberId, name, email: `${name}@example.test` });
  return memberId;
}

describe('a Workspace', () => {
  test('that makes keys and revokes them, thousands, never grows beyond its room', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    const kept = workspace.key([]);
    times(3_300, () => workspace.must({ type: 'RevokeKey', keyId: workspace.key([]) }));
    expect(bytesOf(workspace)).toBeLessThan(ROOMY_BYTES + 1_000);
    expect(workspace.workspace.keys[kept]).toMatchObject({ revoked: false });
    const revoked = Object.values(workspace.workspace.keys).filter((key) => key.revoked);
    expect(revoked.length).toBeGreaterThanOrEqual(20);
    // One that is not there any more is as invalid as before.
    workspace.channel('threads');
    const asked = workspace.creating({
      text: 'by a key of long ago',
      credential: { kind: 'key', keyId: workspace.uuid() },
    });
    expect(workspace.tell(asked).result).toMatchObject({ ok: false, code: 'unauthorized' });
  });

  test('that lets its keys expire, thousands, never grows beyond its room, and keeps one whose endpoint goes on', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    const expiring = (): string => {
      const keyId = workspace.uuid();
      workspace.must({
        ...{ type: 'CreateKey', keyId, memberId: owner(workspace), name: 'a run', permissions: ['webhooks:manage'] },
        ...{
          tokenHash: `hash-${keyId}`,
          limits: { expiresAt: workspace.now + 1_000, readOnly: false, allowedIps: [] },
        },
      });
      return keyId;
    };
    const listens = expiring();
    const endpointId = workspace.uuid();
    workspace.must({
      ...{ type: 'RegisterEndpoint', endpointId, url: 'https://hooks.test/', events: ['variant.published'] },
      ...{ sealedSecret: 's', credential: { kind: 'key', keyId: listens } },
    });
    times(3_300, () => {
      expiring();
      workspace.now += 2_000;
    });
    expect(bytesOf(workspace)).toBeLessThan(ROOMY_BYTES + 1_000);
    expect(workspace.workspace.keys[listens]).toBeDefined();
  });

  test('whose Members come and go, with keys of their own, never grows beyond its room; accounts find it all the same', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    const stays = addMember(workspace, 'stays');
    times(900, (index) => {
      const memberId = addMember(workspace, `m${index}`);
      const keyId = workspace.uuid();
      workspace.must({
        ...{ type: 'CreateKey', keyId, memberId, name: 'k', permissions: [], tokenHash: keyId },
      });
      workspace.must({ type: 'RemoveMember', memberId });
    });
    expect(bytesOf(workspace)).toBeLessThan(ROOMY_BYTES + 2_000);
    const { members, membershipsWritten, keys } = workspace.workspace;
    expect(members[stays]).toMatchObject({ removed: false });
    expect(Object.values(keys).every(({ memberId }) => members[memberId] !== undefined)).toBe(true);
    expect(membershipsWritten).toBe(Object.keys(members).length);
    workspace.effects.length = 0;
    const late = addMember(workspace, 'late');
    expect(workspace.effects).toContainEqual({ kind: 'memberships', memberIds: [late] });
  });

  test('of an agency has room for 500 Channels with pictures and long names, and for 200 keys in use', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    times(200, () => workspace.key(['posts:publish', 'posts:schedule', 'webhooks:manage']));
    times(500, () => workspace.channel('instagram', '株式会社の公式アカウント'));
    const channels = Object.values(workspace.workspace.channels).map((channel) => ({
      ...{ ...channel, kind: 'business', connectionId: workspace.uuid() },
      picture: { blob: pictureBlob(channel.id, START, 'f'.repeat(64)), askedAt: START },
    }));
    const state = { ...workspace.workspace, channels: Object.fromEntries(channels.map((each) => [each.id, each])) };
    expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThan(MAX_STATE_BYTES);
  });

  test('with thousands of Channels that were disconnected for years keeps those that Posts may name', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    const first = workspace.channel('threads');
    const postId = workspace.post({ text: 'of long ago' });
    workspace.fail(postId);
    workspace.must({ type: 'DisconnectChannel', channelId: first, memberId: null });
    workspace.settle();
    const disconnected = (count: number): string[] =>
      Array.from({ length: count }, () => {
        const channelId = workspace.channel('threads');
        workspace.must({ type: 'DisconnectChannel', channelId, memberId: null });
        workspace.settle();
        return channelId;
      });
    disconnected(450);
    workspace.now = START + 401 * DAY;
    const recent = disconnected(3);
    expect(bytesOf(workspace)).toBeLessThan(ROOMY_BYTES);
    expect(Object.keys(workspace.workspace.channels)).toEqual(recent);
    // A Post that outlived its Channel's place in the state is not published there again.
    expect(workspace.retry(postId)).toMatchObject({ ok: false, code: 'channel_disconnected' });
    expect(workspace.workspace.sweeps).toEqual([]);
  });

  test('that is small keeps everything', () => {
    const workspace = aWorkspace();
    times(30, () => workspace.must({ type: 'RevokeKey', keyId: workspace.key([]) }));
    expect(withRoom(workspace.workspace, START + 1_000 * DAY)).toBe(workspace.workspace);
    expect(owner(workspace)).toBeDefined();
  });
});
