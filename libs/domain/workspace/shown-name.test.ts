import { expect, test } from 'vitest';
import { renderPost } from '../post/render.ts';
import { aWorkspace, HOUR, Scenario, START } from '#testing/scenario.ts';
import { shownNameOf } from './shown-name.ts';

const EMAIL = 'Grace.Hopper@example.test';

/** Made as by a person who gave no name of their own: then Members are listed by their address. */
function ofNobodyNamed(name = EMAIL): Scenario {
  const workspace = new Scenario({});
  const owner = { memberId: workspace.uuid(), name, email: EMAIL, emailVerified: true };
  workspace.must({ type: 'CreateWorkspace', name: 'A Workspace', plan: 'pro', owner });
  return workspace;
}

const shown = (workspace: Scenario, postId: string) =>
  renderPost(workspace.posts.get(postId)!, workspace.workspace.channels, () => '');

test.each([EMAIL, EMAIL.toLowerCase(), ` ${EMAIL} `])(
  'a Post of a key and of an app, and a Disconnect, tell nobody the address of a Member who has the name %j',
  (name) => {
    const workspace = ofNobodyNamed(name);
    const channelId = workspace.channel('threads');
    const posts = [
      { kind: 'key', keyId: workspace.key() } as const,
      { kind: 'app', approvalId: workspace.approval() } as const,
    ].map((credential) => workspace.post({ credential, text: credential.kind, scheduledAt: START + HOUR }));
    const memberId = Object.keys(workspace.workspace.members)[0]!;
    workspace.must({ type: 'DisconnectChannel', channelId, memberId });
    workspace.settle();
    const bodies = posts.map((postId) => shown(workspace, postId));
    expect(bodies.map(({ via }) => via?.by)).toEqual(['a Member', 'a Member']);
    expect(bodies.flatMap(({ variants }) => variants.map((one) => one.cancelledByDisconnect))).toEqual([
      { by: 'a Member' },
      { by: 'a Member' },
    ]);
    expect(JSON.stringify(bodies).toLowerCase()).not.toContain('example.test');
  },
);

test('a name that a Member has is shown, and what a Post holds already keeps its bytes', () => {
  const workspace = aWorkspace();
  workspace.channel('threads');
  const postId = workspace.post({ credential: { kind: 'key', keyId: workspace.key() }, scheduledAt: START + HOUR });
  expect(shown(workspace, postId).via?.by).toBe('Ada');
  const post = workspace.posts.get(postId)!;
  workspace.posts.set(postId, { ...post, via: { ...post.via!, by: EMAIL } });
  expect(shown(workspace, postId).via?.by).toBe(EMAIL);
});

test('a name that holds another address was given by somebody', () => {
  expect(shownNameOf({ name: 'press@example.test', email: EMAIL })).toBe('press@example.test');
});
