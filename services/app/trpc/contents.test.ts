import { expect, onTestFinished, test } from 'vitest';
import { FIRST_ROUND } from '#domain/webhook/delivery.ts';
import type { AuditAction } from '#domain/workspace/audit.ts';
import type { MemberRole } from '#domain/workspace/state.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { DAY, HOUR, MINUTE, type Scenario } from '#testing/scenario.ts';
import { furnish, type Things } from './procedure-cases.fixture.ts';
import { TrpcHarness, type Browser } from './trpc-harness.fixture.ts';

/** One furnished Workspace, and browsers of its Members. */
class Contents {
  readonly harness: TrpcHarness;
  readonly scenario: Scenario;
  readonly things: Things;

  private constructor(harness: TrpcHarness, scenario: Scenario, things: Things) {
    this.harness = harness;
    this.scenario = scenario;
    this.things = things;
  }

  static async open(): Promise<Contents> {
    const harness = await TrpcHarness.open();
    onTestFinished(() => harness[Symbol.asyncDispose]());
    const scenario = harness.workspace(0);
    return new Contents(harness, scenario, await furnish(harness, scenario));
  }

  get now(): string {
    return new Date(this.harness.clock.now()).toISOString();
  }

  /** Calls of a Member of this role, and the Member's id. */
  async as(role: MemberRole, name: string) {
    const memberId = this.scenario.member(role, name);
    const browser = await this.harness.signIn(this.emailOf(memberId));
    return { memberId, browser, ...this.callsOf(browser) };
  }

  emailOf(memberId: string): string {
    return this.scenario.workspace.members[memberId]!.email;
  }

  callsOf(browser: Browser) {
    const call = (path: string, input: object = {}) =>
      this.harness.call(browser, path, { workspaceId: this.scenario.id, ...input });
    /** The answer of a call that must be served. */
    const must = async (path: string, input: object = {}) => {
      const { status, problem, data } = await call(path, input);
      expect([path, status, problem]).toEqual([path, 200, null]);
      return data;
    };
    return { call, must };
  }
}

test('keys say whose they are, what they may do and when they were last used; a new one is shown once', async () => {
  const world = await Contents.open();
  const { harness, things } = world;
  const eve = await world.as('editor', 'Eve');
  const created = await eve.must('keys.create', { name: 'a script', permissions: ['posts:schedule'] });
  expect(created).toEqual({ keyId: expect.any(String), apiKey: expect.stringMatching(/^crier_[\w-]{20,}$/) });
  harness.lastUses.set(things.keyId, harness.clock.now() - HOUR);
  const listed = await eve.must('keys.list');
  expect(listed).toEqual([
    expect.objectContaining({
      ...{ keyId: things.keyId, name: 'a key', by: 'Ada', isMine: false },
      lastUsedAt: new Date(harness.clock.now() - HOUR).toISOString(),
    }),
    {
      ...{ keyId: created.keyId, name: 'a script', by: 'Eve', isMine: true, permissions: ['posts:schedule'] },
      ...{ createdAt: world.now, lastUsedAt: null },
      ...{ expiresAt: null, readOnly: false, allowedIps: [] },
    },
  ]);
  expect(JSON.stringify(listed)).not.toContain(created.apiKey);
  expect(await eve.must('keys.revoke', { keyId: created.keyId })).toEqual({ keyId: created.keyId });
  expect((await eve.must('keys.list')).map((each: { keyId: string }) => each.keyId)).toEqual([things.keyId]);
});

test('a key is made with limits, and says them', async () => {
  const world = await Contents.open();
  const eve = await world.as('editor', 'Eve');
  const limits = { expiresAt: '2027-01-01T00:00:00.000Z', readOnly: true, allowedIps: ['203.0.113.0/24'] };
  const { keyId } = await eve.must('keys.create', { name: 'limited', ...limits });
  const listed: readonly { readonly keyId: string }[] = await eve.must('keys.list');
  expect(listed.find((key) => key.keyId === keyId)).toMatchObject({ permissions: ['posts:schedule'], ...limits });
  for (const wrong of [
    { expiresAt: '2020-01-01T00:00:00Z' },
    { readOnly: true, permissions: ['posts:publish'] },
    { allowedIps: ['example.com'] },
    { allowedIps: Array.from({ length: 51 }, () => '203.0.113.7') },
  ]) {
    const { status } = await eve.call('keys.create', { name: 'wrong', ...wrong });
    expect([wrong, status]).toEqual([wrong, 400]);
  }
  expect(await eve.must('keys.list')).toHaveLength(listed.length);
});

test('apps say who approved them, how they came here and when they were last used; a revoked one is gone', async () => {
  const world = await Contents.open();
  const { harness, things } = world;
  const eve = await world.as('editor', 'Eve');
  const approvalId = world.scenario.approval({
    ...{ memberId: eve.memberId, name: 'Notes', registered: 'document', redirectHost: 'notes.test' },
    permissions: ['posts:publish'],
  });
  harness.lastUses.set(approvalId, harness.clock.now());
  expect(await eve.must('apps.list')).toEqual([
    expect.objectContaining({ approvalId: things.approvalId, by: 'Ada', isMine: false, lastUsedAt: null }),
    {
      ...{ approvalId, name: 'Notes', registered: 'document', redirectHost: 'notes.test', by: 'Eve', isMine: true },
      // Whoever may publish may schedule.
      ...{ permissions: ['posts:schedule', 'posts:publish'], createdAt: world.now, lastUsedAt: world.now },
    },
  ]);
  expect(await eve.must('apps.revoke', { approvalId })).toEqual({ approvalId });
  expect(await eve.must('apps.list')).toHaveLength(1);
});

test('a person is invited, joins, gets another role, and is removed: each list says so', async () => {
  const world = await Contents.open();
  const { harness, scenario, things } = world;
  const { must, memberId: ownerId } = await world.as('owner', 'Olga');
  const sent = await must('members.invite', { email: 'Ivo@Example.test', name: 'Ivo', role: 'viewer' });
  expect([sent, harness.invitations]).toEqual([
    { invitationId: expect.any(String), mail: 'sent' },
    ['ivo@example.test'],
  ]);
  const before = await must('members.list');
  expect(before.invitations.find(({ id }: { id: string }) => id === sent.invitationId)).toEqual({
    ...{ id: sent.invitationId, email: 'Ivo@Example.test', role: 'viewer', invitedBy: 'Olga', createdAt: world.now },
    expiresAt: new Date(harness.clock.now() + 7 * DAY).toISOString(),
  });
  expect(before.members).toContainEqual({
    ...{ id: ownerId, name: 'Olga', email: world.emailOf(ownerId), emailVerified: true, role: 'owner' },
  });

  const memberId = scenario.uuid();
  const joining = { invitationId: sent.invitationId, memberId, email: 'ivo@example.test', name: 'Ivo' };
  scenario.must({ type: 'AcceptInvitation', ...joining });
  const ivo = world.callsOf(await harness.signIn('ivo@example.test'));
  const joined = await ivo.must('members.list');
  expect(joined.invitations.map(({ id }: { id: string }) => id)).toEqual([things.invitationId]);
  expect(joined.members).toContainEqual({
    ...{ id: memberId, name: 'Ivo', email: 'ivo@example.test', emailVerified: true, role: 'viewer' },
  });

  expect((await ivo.call('keys.create', { name: 'too early' })).status).toBe(403);
  expect(await must('members.changeRole', { memberId, role: 'editor' })).toEqual({ memberId, role: 'editor' });
  expect((await ivo.must('session.get')).workspaces).toEqual([
    { id: scenario.id, name: 'A Workspace', timeZone: null, role: 'editor', memberId, memberName: 'Ivo' },
  ]);
  await ivo.must('keys.create', { name: 'in time' });

  expect(await must('members.remove', { memberId })).toEqual({ memberId });
  const after = await must('members.list');
  expect(after.members.map(({ id }: { id: string }) => id)).not.toContain(memberId);
  // Their keys ended with them.
  expect((await must('keys.list')).map(({ name }: { name: string }) => name)).toEqual(['a key']);
  expect((await ivo.call('members.list')).status).toBe(404);
  expect((await ivo.must('session.get')).workspaces).toEqual([]);
});

test('one address is mailed ten invitations an hour, whichever Workspaces invite it, and the last one stands', async () => {
  const world = await Contents.open();
  const { harness, scenario } = world;
  const olga = await world.as('owner', 'Olga');
  const sent = async (email: string) => (await olga.call('members.invite', { email })).status;
  for (let count = 0; count < 10; count++) expect(await sent(count % 2 === 0 ? 'vic@a.test' : 'Vic@A.test')).toBe(200);
  const { invitations } = scenario.workspace;
  expect(await olga.call('members.invite', { email: 'vic@a.test' })).toMatchObject({
    status: 429,
    problem: { code: 'rate_limited', message: expect.stringContaining('in 60 minutes') },
  });
  expect(scenario.workspace.invitations).toEqual(invitations);
  const other = harness.workspace(1);
  const ada = await harness.signIn(Object.values(other.workspace.members)[0]!.email);
  const elsewhere = await harness.call(ada, 'members.invite', { workspaceId: other.id, email: 'vic@a.test' });
  expect([elsewhere.status, await sent('another@a.test'), harness.invitations.length]).toEqual([429, 200, 11]);
  await harness.clock.advance(HOUR);
  expect(await sent('vic@a.test')).toBe(200);
});

test.each([
  ...['"vic"@a.test', '"v\\ic"@a.test', 'vic(friend)@a.test', 'x,vic@a.test', '<vic@a.test>'],
  // Mailers read these as a.test.
  ...['vic@\uff41.test', 'vic@\u24d0.test', 'vic@a.test.'],
])('an address that may be another way to write a mailbox is not invited: %s', async (email) => {
  const world = await Contents.open();
  const { call } = await world.as('owner', 'Olga');
  const { status, problem } = await call('members.invite', { email });
  expect([status, problem?.message]).toEqual([400, 'email must be an e-mail address as mail servers write it.']);
  expect(world.harness.invitations).toEqual([]);
});

test('who may not invite uses up neither the invitations of the Workspace nor those of an address', async () => {
  const world = await Contents.open();
  const olga = await world.as('owner', 'Olga');
  const vic = await world.as('viewer', 'Vic');
  const asked = await Promise.all(
    Array.from({ length: 100 }, () => vic.call('members.invite', { email: 'new@a.test' })),
  );
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([403]));
  expect((await olga.call('members.invite', { email: 'new@a.test' })).status).toBe(200);
});

test('a viewer has no address asked by Posts that are only judged', async () => {
  const world = await Contents.open();
  const { harness, things } = world;
  const post = { text: 'Hi', channelIds: [things.channelId], media: [{ url: 'https://files.example/a.jpg' }] };
  const statusOf = async (role: MemberRole) =>
    (await (await world.as(role, role)).call('posts.validate', { post })).status;
  expect([await statusOf('viewer'), harness.inspected]).toEqual([403, []]);
  expect([await statusOf('editor'), harness.inspected]).toEqual([200, ['https://files.example/a.jpg']]);
});

test('a Workspace has a hundred invitations an hour mailed, whomever it invites', async () => {
  const world = await Contents.open();
  const { must, call } = await world.as('owner', 'Olga');
  for (let count = 0; count < 100; count++) {
    const { invitationId } = await must('members.invite', { email: `stranger-${count}@a.test` });
    await must('members.revokeInvitation', { invitationId });
  }
  expect((await call('members.invite', { email: 'one-more@a.test' })).status).toBe(429);
  expect(world.harness.invitations).toHaveLength(100);
});

test('who leaves is out at once, an invitation that is revoked or expired is not listed, the last owner stays', async () => {
  const world = await Contents.open();
  const { scenario, things, harness } = world;
  const vi = await world.as('viewer', 'Vi');
  expect(await vi.must('members.leave')).toEqual({ memberId: vi.memberId });
  expect((await vi.call('members.list')).status).toBe(404);
  const ada = world.callsOf(await harness.signIn('ada@example.test'));
  await ada.must('members.revokeInvitation', { invitationId: things.invitationId });
  expect((await ada.must('members.list')).invitations).toEqual([]);
  await ada.must('members.invite', { email: 'late@example.test' });
  await harness.clock.advance(7 * DAY);
  const { invitations, members } = await ada.must('members.list');
  expect([invitations, members.map(({ name }: { name: string }) => name)]).toEqual([[], ['Ada', 'Bob']]);
  const { status, problem } = await ada.call('members.leave');
  expect([status, problem?.message]).toEqual([400, expect.stringContaining('Ada is the last owner')]);
  expect(scenario.workspace.members[Object.keys(scenario.workspace.members)[0]!]!.removed).toBe(false);
});

test('a Workspace that is renamed has its new name in every list, and the audit says what it was called', async () => {
  const world = await Contents.open();
  const { must, browser } = await world.as('owner', 'Olga');
  expect(await must('workspaces.rename', { name: 'Harbour' })).toEqual({ name: 'Harbour' });
  const listed = await world.harness.call(browser, 'workspaces.list', undefined);
  const shown = (await world.harness.call(browser, 'session.get', undefined)).data;
  expect([listed.data[0].name, shown.workspaces[0].name]).toEqual(['Harbour', 'Harbour']);
  expect((await must('audit.list')).entries[0]).toMatchObject({
    ...{ action: 'workspace.renamed', actor: { kind: 'member', name: 'Olga' }, detail: { formerName: 'A Workspace' } },
    origin: { door: 'app' },
  });
});

test('the zone of a Workspace is that of the browser that signed up, until an owner sets another', async () => {
  const world = await Contents.open();
  const { harness } = world;
  const { must, call, browser } = await world.as('owner', 'Olga');
  const nonce = 'x'.repeat(22);
  for (const timeZone of ['Asia/Tokyo', 'Mars/Olympus'])
    await must('workspaces.create', { name: 'Another', nonce, timeZone });
  expect(harness.makings).toEqual([
    expect.objectContaining({ type: 'CreateWorkspace', timeZone: 'Asia/Tokyo' }),
    // Of a zone that this machine does not know the Workspace is made without one.
    expect.not.objectContaining({ timeZone: expect.anything() }),
  ]);
  expect((await must('session.get')).workspaces[0].timeZone).toBeNull();
  expect(await must('workspaces.setZone', { timeZone: 'Europe/Berlin' })).toEqual({ timeZone: 'Europe/Berlin' });
  const shown = [await must('session.get'), { workspaces: (await harness.call(browser, 'workspaces.list', {})).data }];
  for (const { workspaces } of shown) expect(workspaces[0]).toMatchObject({ timeZone: 'Europe/Berlin' });
  for (const timeZone of ['+02:00', 'Mars/Olympus', '', 'x'.repeat(65)])
    expect((await call('workspaces.setZone', { timeZone })).problem).toMatchObject({
      ...{ code: 'invalid_request', message: expect.stringContaining('timeZone') },
    });
  expect((await must('audit.list')).entries[0]).toMatchObject({
    ...{ action: 'workspace.zone_changed', detail: { timeZone: 'Europe/Berlin' }, actor: { name: 'Olga' } },
  });
});

test('a person makes ten Workspaces an hour, and no more', async () => {
  const { harness } = await Contents.open();
  const browser = await harness.signIn('new@example.test');
  const make = async (count: number) => {
    const nonce = `nonce-of-a-page-${count}`;
    return (await harness.call(browser, 'workspaces.create', { name: 'One more', nonce })).status;
  };
  for (let count = 0; count < 10; count++) expect(await make(count)).toBe(200);
  expect([await make(10), harness.created.length]).toEqual([429, 10]);
  await harness.clock.advance(HOUR);
  expect(await make(11)).toBe(200);
});

test('sessions are listed newest first, and each ends by itself or with all others', async () => {
  const world = await Contents.open();
  const { harness } = world;
  const { browser, memberId, must } = await world.as('viewer', 'Vi');
  await harness.clock.advance(MINUTE);
  const later = world.callsOf(await harness.signIn(world.emailOf(memberId)));
  const listed = await later.must('sessions.list');
  expect(listed).toEqual([
    {
      ...{ sessionId: expect.stringMatching(/^[\da-f]{64}$/), browser: 'a browser', isThis: true },
      ...{ createdAt: world.now, lastSeenAt: world.now },
      expiresAt: new Date(harness.clock.now() + 30 * DAY).toISOString(),
    },
    expect.objectContaining({ isThis: false }),
  ]);
  const [{ sessionId: newest }, { sessionId: first }] = listed;
  expect(await later.must('sessions.end', { sessionId: first })).toEqual({ sessionId: first });
  expect((await harness.call(browser, 'sessions.list', undefined)).status).toBe(401);
  expect((await must('session.get')).account).toBeNull();
  expect((await later.must('sessions.list')).map((each: { sessionId: string }) => each.sessionId)).toEqual([newest]);
  await harness.signIn(world.emailOf(memberId));
  expect(await later.must('sessions.endAll')).toEqual({ ended: 2 });
  expect((await later.must('session.get')).account).toBeNull();
});

test('who is added to a Workspace while they are signed in is verified there by their session', async () => {
  const world = await Contents.open();
  const { harness, scenario, things } = world;
  const email = 'grace@example.test';
  const browser = await harness.signIn(email);
  const memberId = scenario.uuid();
  scenario.must({ type: 'AddMember', memberId, name: 'Grace', email, role: 'editor' });
  const { must } = world.callsOf(browser);
  expect((await must('session.get')).workspaces).toMatchObject([{ id: scenario.id, memberId }]);
  await must('posts.create', { post: { text: 'Hello', channelIds: [things.channelId] } });
  const { members } = await must('members.list');
  expect(members).toContainEqual(expect.objectContaining({ id: memberId, emailVerified: true }));
});

test('who was added while they were signed in reads at once what a Workspace that does not answer last wrote', async () => {
  const world = await Contents.open();
  const { harness, scenario } = world;
  const email = 'grace@example.test';
  const browser = await harness.signIn(email);
  scenario.must({ type: 'AddMember', memberId: scenario.uuid(), name: 'Grace', email, role: 'editor' });
  harness.verifying = () => new Promise(() => {});
  const { members } = await world.callsOf(browser).must('members.list');
  expect(members).toContainEqual(expect.objectContaining({ email, emailVerified: false }));
});

test('usage, Plan and credits: another Plan is there at once, larger or smaller, and one to come is told', async () => {
  const world = await Contents.open();
  const { must } = await world.as('owner', 'Olga');
  const usage = await must('usage.get');
  expect(usage).toMatchObject({ plan: 'pro', xCredits: { available: expect.any(Number) } });
  for (const plan of ['free', 'agency']) {
    expect(await must('plan.change', { plan })).toEqual({ plan, url: null });
    expect(await must('plan.get')).toMatchObject({ plan, coming: null });
  }
  const coming = { plan: 'free', effectiveAt: '2026-12-01T00:00:00.000Z' } as const;
  world.scenario.state = {
    ...world.scenario.workspace,
    comingPlan: { plan: 'free', effectiveAt: Date.parse(coming.effectiveAt) },
  };
  const plan = await must('plan.get');
  expect(plan).toMatchObject({ plan: 'agency', coming, billing: 'self-service', creditPacks: [] });
  expect(plan.plans.map(({ name }: { name: string }) => name)).toEqual(['free', 'pro', 'agency']);
  expect(plan.plans[0]).toMatchObject({ limits: { channels: expect.any(Number) }, disconnects: [] });
  expect(await must('credits.buy', { credits: 25 })).toEqual({ credits: 25, url: null });
  expect((await must('usage.get')).xCredits.available).toBe(usage.xCredits.available + 25);
});

test('a Plan says which Channels it has no room for', async () => {
  const world = await Contents.open();
  const { must } = await world.as('viewer', 'Vi');
  for (let count = 0; count < 6; count++) world.scenario.channel('threads', `Threads ${count}`);
  const { plans } = await must('plan.get');
  expect(plans[0].disconnects).toEqual([{ id: expect.any(String), name: 'Threads 5', network: 'threads' }]);
  expect(plans[2].disconnects).toEqual([]);
});

test('an endpoint is registered, tested and given another secret, each shown once', async () => {
  const world = await Contents.open();
  const { must } = await world.as('editor', 'Eve');
  const endpoint = { url: 'https://hooks.test/new', events: ['variant.failed'] };
  const { secret, ...made } = await must('webhooks.create', { endpoint });
  expect(secret).toMatch(/^whsec_[\w-]{43}$/);
  expect(made).toEqual({
    ...{ id: expect.any(String), ...endpoint, state: 'active', createdAt: world.now },
    ...{ disabledAt: null, disabledReason: null },
  });
  const { id: endpointId } = made;
  expect((await must('webhooks.list')).find(({ id }: { id: string }) => id === endpointId)).toMatchObject(made);
  expect(await must('webhooks.test', { endpointId })).toMatchObject({
    ...{ type: 'variant.failed', state: 'pending', attempts: 0, createdAt: world.now, nextAttemptAt: world.now },
  });
  expect(world.harness.world.handed.at(-1)).toMatchObject({ endpointId });
  const rotated = await must('webhooks.rotateSecret', { endpointId });
  expect(rotated).toEqual({ ...made, secret: expect.stringMatching(/^whsec_[\w-]{43}$/) });
  expect(rotated.secret).not.toBe(secret);
  const lists = JSON.stringify([await must('webhooks.list'), await must('webhooks.deliveries', { endpointId })]);
  expect([lists.includes(secret), lists.includes(rotated.secret)]).toEqual([false, false]);
  expect(await must('webhooks.remove', { endpointId })).toEqual({ endpointId });
  expect((await must('webhooks.list')).map(({ id }: { id: string }) => id)).toEqual([world.things.endpointId]);
});

test('a delivery shows what was sent and each answer, and is replayed under the same id', async () => {
  const world = await Contents.open();
  const { harness, things } = world;
  const { endpointId, deliveryId } = things;
  const { must } = await world.as('editor', 'Eve');
  const startedAt = harness.clock.now();
  await createDeliveryRows(harness.world.store).keepAttempt(
    { id: deliveryId, workspaceId: world.scenario.id },
    {
      ...{ round: FIRST_ROUND, attempt: 1, startedAt, finishedAt: startedAt + 120, outcome: 'refused' },
      ...{ status: 503, error: 'It answered 503.', excerpt: 'Away', retryAfterMs: null },
    },
    'a worker',
  );
  const [delivery] = await must('webhooks.deliveries', { endpointId });
  expect(delivery).toMatchObject({
    ...{ id: deliveryId, type: 'variant.published', state: 'pending', attempts: 1, body: '{}', responseStatus: 503 },
    tries: [{ startedAt: world.now, durationMs: 120, status: 503, error: 'It answered 503.', excerpt: 'Away' }],
  });
  await harness.clock.advance(HOUR);
  const replayed = await must('webhooks.replay', { endpointId, deliveryId });
  expect(replayed).toMatchObject({ id: deliveryId, state: 'pending', nextAttemptAt: world.now });
  expect(harness.world.handed.at(-1)).toMatchObject({ deliveryId });
});

test('a Channel: what its Network offers, its defaults, and what disconnecting it would cancel', async () => {
  const world = await Contents.open();
  const { scenario, things, harness } = world;
  const { channelId, postId } = things;
  const { must } = await world.as('owner', 'Olga');
  expect(await must('channels.options', { channelId })).toEqual({ network: 'x', defaults: {}, choices: {} });
  const defaults = { madeWithAi: true };
  expect(await must('channels.setDefaults', { channelId, defaults })).toEqual({ channelId, defaults });
  expect((await must('channels.options', { channelId })).defaults).toEqual(defaults);
  expect((await must('channels.list')).channels).toEqual([
    expect.objectContaining({ id: channelId, network: 'x', state: 'connected', defaults }),
  ]);
  const other = scenario.channel('threads');
  const soon = harness.clock.now() + DAY;
  scenario.post({ channelIds: [other, channelId], text: 'Both', scheduledAt: soon });
  scenario.post({ channelIds: [other], text: 'The other one', scheduledAt: soon });
  expect(await must('channels.disconnectPreview', { channelId })).toEqual({ cancels: 2, isCut: false });
  expect(await must('channels.disconnect', { channelId })).toEqual({ channelId });
  scenario.settle();
  expect(scenario.variant(postId).status).toBe('cancelled');
  expect((await must('channels.list')).channels.map(({ id }: { id: string }) => id)).toEqual([other]);
  expect(await must('channels.disconnectPreview', { channelId })).toEqual({ cancels: 0, isCut: false });
});

test('a page of long Posts has a megabyte, and its cursor leads to the rest', async () => {
  const world = await Contents.open();
  const { scenario, harness } = world;
  const { must } = await world.as('viewer', 'Vi');
  const channelId = scenario.channel('facebook');
  for (let post = 0; post < 12; post++) {
    scenario.now += 1_000;
    const text = `${post} ${'長'.repeat(60_000)}`;
    scenario.post({ channelIds: [channelId], text, scheduledAt: harness.clock.now() + DAY });
  }
  const first = await must('posts.list', { limit: 500 });
  expect(Buffer.byteLength(JSON.stringify(first.posts))).toBeLessThan(1_100_000);
  const listed = [...first.posts];
  for (let { nextCursor: cursor } = first; cursor !== null;) {
    const { posts, nextCursor } = await must('posts.list', { limit: 500, cursor });
    listed.push(...posts);
    cursor = nextCursor;
  }
  expect(new Set(listed.map(({ id }: { id: string }) => id)).size).toBe(scenario.posts.size);
});

test('the audit is paged, and filtered by person, action and time', async () => {
  const world = await Contents.open();
  const { harness } = world;
  const { must, call } = await world.as('owner', 'Olga');
  const from = world.now;
  for (const name of ['One', 'Two', 'Three']) {
    await harness.clock.advance(MINUTE);
    await must('workspaces.rename', { name });
    await must('keys.create', { name });
  }
  const [renamed]: readonly AuditAction[] = ['workspace.renamed'];
  const filter = { memberName: 'Olga', actions: [renamed], limit: 2 };
  const first = await must('audit.list', filter);
  const second = await must('audit.list', { ...filter, cursor: first.nextCursor });
  const names = [first, second].map(({ entries }) => entries.map((each: any) => each.subject.name));
  expect([names, second.nextCursor]).toEqual([[['Three', 'Two'], ['One']], null]);
  const to = new Date(harness.clock.now()).toISOString();
  const within = await must('audit.list', { from, to, actions: [renamed] });
  expect(within.entries.map((each: any) => each.subject.name)).toEqual(['Two', 'One']);
  expect((await must('audit.list', { memberName: 'Nobody' })).entries).toEqual([]);
  expect((await call('audit.list', { cursor: 'x' })).problem?.code).toBe('invalid_request');
});

test('owners let time pass in the sandbox; where time is real there is no such procedure', async () => {
  const world = await Contents.open();
  const { must, call } = await world.as('owner', 'Olga');
  const before = world.harness.clock.now();
  expect((await must('session.get')).installation).toMatchObject({
    ...{ sandboxUrl: 'http://sandbox.test', advancesTime: true },
  });
  const now = new Date(before + 15 * MINUTE).toISOString();
  expect(await must('sandbox.advance', { minutes: 15 })).toEqual({ now });
  expect((await must('session.get')).now).toBe(now);
  for (const minutes of [0, -15, 1.5, 24 * 60 + 1, null])
    expect((await call('sandbox.advance', { minutes })).status).toBe(400);
  expect(world.harness.advances).toEqual([15 * MINUTE]);

  const live = await TrpcHarness.open({ isLive: true });
  onTestFinished(() => live[Symbol.asyncDispose]());
  const scenario = live.workspace(0);
  const browser = await live.browser(scenario, 'owner');
  const answer = await live.call(
    browser,
    'sandbox.advance',
    { workspaceId: scenario.id, minutes: 15 },
    { method: 'POST' },
  );
  expect([answer.status, answer.problem?.message]).toEqual([404, 'There is no such procedure.']);
  expect(Object.keys(live.procedures).filter((path) => path.startsWith('sandbox'))).toEqual([]);
});

test('calls without a session are bounded by address; a Member at that address is served', async () => {
  const world = await Contents.open();
  const eve = await world.as('editor', 'Eve');
  const statuses = [];
  for (let asked = 0; asked < 25; asked++)
    statuses.push((await world.harness.call(null, 'session.get', undefined)).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
  await eve.must('keys.list');
});
