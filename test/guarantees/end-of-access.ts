import { expect } from 'vitest';
import { send } from '#testing/crier-clients.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import type { MisbehavingReceiver } from '#testing/misbehaving-receiver.ts';
import { until } from '#testing/until.ts';
import { askToken, callTool, connected, invited, refresh, type Doors, type Grant } from './authorized-app.ts';

/** How long reads may go on by what a replica remembers, in milliseconds. */
const READS_MS = 5_000;

export const ENDS = [
  'the Member is removed',
  'the Member becomes a viewer',
  'an operator revokes',
  'the app revokes',
] as const;
export type End = (typeof ENDS)[number];

export interface Installation {
  /** A process with the role admin. */
  readonly admin: CrierUnderTest;
  /** One each replica. */
  readonly doors: readonly Doors[];
  readonly receiver: MisbehavingReceiver;
}

interface ConnectedMember {
  readonly workspace: TestWorkspace;
  readonly memberId: string;
  readonly grant: Grant;
}

const nextWeek = (): string => new Date(Date.now() + 7 * 86_400_000).toISOString();
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
let posts = 0;

/** Ends an app's access in one way, and checks what is over at once, what within 5 s, and what goes on. */
export async function checkEndOfAccess({ admin, doors, receiver }: Installation, end: End): Promise<void> {
  const [first] = doors as [Doors, ...Doors[]];
  const name = end.replaceAll(' ', '-').toLowerCase();
  const workspace = await foundWorkspace(admin, name);
  const { workspaceId, apiKey, channels } = workspace;
  const member = await invited(admin, first, { workspaceId, email: `${name}@example.com` });
  const neighbour = await invited(admin, first, { workspaceId, email: `${name}-neighbour@example.com` });
  const grant = await connected(member.browser, first, { workspaceId });
  const spared = await connected(neighbour.browser, first, { workspaceId });

  const listen = async (token: string, path: string): Promise<void> => {
    const hook = { url: `${receiver.url}${path}`, events: ['variant.published'] };
    const { status, body } = await send('POST', `${first.ingress}/api/webhooks`, hook, bearer(token));
    expect(status, JSON.stringify(body)).toBe(201);
  };
  await listen(grant.api, `${name}/ended`);
  await listen(spared.api, `${name}/spared`);
  const eventsAt = (path: string) => receiver.requests.filter((request) => request.path === `/${name}/${path}`).length;
  const publish = async (): Promise<void> => {
    const post = { text: `Post ${posts++}`, channelIds: [channels.x] };
    const { status, body } = await send('POST', `${first.ingress}/api/posts`, post, bearer(apiKey));
    expect(status, JSON.stringify(body)).toBe(201);
  };
  await publish();
  await until(() => eventsAt('ended') > 0 && eventsAt('spared') > 0, { what: 'both told', withinMs: 60_000 });
  for (const each of doors) expect((await callTool(each, grant.mcp, 'list_channels')).status).toBe(200);

  await endAccess(admin, first, end, { workspace, memberId: member.memberId, grant });
  const endedAt = performance.now();

  for (const each of doors) await expectNoChanges(each, grant, channels.x);
  await expectNoReads(doors, grant, endedAt);
  expect((await callTool(first, spared.mcp, 'list_channels')).status).toBe(200);
  const { apps } = await admin.admin().call('apps.list', { workspaceId });
  expect(apps.map(({ clientId }: { clientId: string }) => clientId)).toEqual([spared.clientId]);

  const [ended, kept] = [eventsAt('ended'), eventsAt('spared')];
  await publish();
  await until(() => eventsAt('spared') > kept, { what: 'the other told', withinMs: 60_000 });
  // Both endpoints would have been told of the same outcome by the same batch.
  expect(eventsAt('ended')).toBe(ended);
}

async function endAccess(
  process: CrierUnderTest,
  doors: Doors,
  end: End,
  { workspace: { workspaceId }, memberId, grant: { clientId, refresh: token } }: ConnectedMember,
): Promise<void> {
  const admin = process.admin();
  switch (end) {
    case 'the Member is removed':
      return admin.call('members.remove', { workspaceId, memberId });
    case 'the Member becomes a viewer':
      return admin.call('members.changeRole', { workspaceId, memberId, role: 'viewer' });
    case 'an operator revokes': {
      const { apps } = await admin.call('apps.list', { workspaceId });
      const { approvalId } = apps.find((app: { clientId: string }) => app.clientId === clientId);
      return admin.call('apps.revoke', { workspaceId, approvalId });
    }
    case 'the app revokes': {
      const revoked = { client_id: clientId, token, token_type_hint: 'refresh_token' };
      expect((await askToken(doors.app, revoked, '/oauth/revoke')).status).toBe(200);
    }
  }
}

/** The very next change is refused, by either door, and no token is had any more. */
async function expectNoChanges(doors: Doors, { clientId, ...grant }: Grant, channelId: string): Promise<void> {
  const post = { text: `Post ${posts++}`, channelIds: [channelId], scheduledAt: nextWeek() };
  const tool = await callTool(doors, grant.mcp, 'schedule_post', post);
  expect([tool.status, tool.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('resource_metadata'),
  ]);
  expect((await send('POST', `${doors.ingress}/api/posts`, post, bearer(grant.api))).status).toBe(401);
  const hook = { url: 'https://hooks.test/late', events: ['variant.published'] };
  expect((await send('POST', `${doors.ingress}/api/webhooks`, hook, bearer(grant.api))).status).toBe(401);
  for (const resource of ['/mcp', '/api']) {
    const refreshed = await refresh(doors.app, clientId, grant.refresh, doors.publicUrl + resource);
    expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant']);
  }
}

async function expectNoReads(doors: readonly Doors[], grant: Grant, endedAt: number): Promise<void> {
  const late: string[] = [];
  const isOver = async (each: Doors): Promise<boolean> => {
    const sinceMs = performance.now() - endedAt;
    const read = await send('GET', `${each.ingress}/api/channels`, undefined, bearer(grant.api));
    const listed = await callTool(each, grant.mcp, 'list_channels');
    const statuses = [read.status, listed.status];
    // Only what was asked after the 5 s counts: a busy machine may answer late.
    if (sinceMs > READS_MS && statuses.includes(200)) late.push(`${Math.round(sinceMs)} ms: ${statuses.join()}`);
    return statuses.every((status) => status === 401);
  };
  await until(async () => (await Promise.all(doors.map(isOver))).every(Boolean), {
    what: 'reads refused on every replica',
    withinMs: READS_MS + 30_000,
    everyMs: 250,
  });
  expect(late, 'read more than 5 s after the end').toEqual([]);
}
