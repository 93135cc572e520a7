import { describe, expect, onTestFinished, test } from 'vitest';
import type { MemberRole } from '#domain/workspace/state.ts';
import type { Scenario } from '#testing/scenario.ts';
import { furnish, PROCEDURE_CASES, type ProcedureCase, type Things } from './procedure-cases.fixture.ts';
import { TrpcHarness, type Browser, type SentCall } from './trpc-harness.fixture.ts';

const ROLES: readonly MemberRole[] = ['viewer', 'editor', 'owner'];
const probe = await TrpcHarness.open();
const { procedures: TYPES } = probe;
await probe[Symbol.asyncDispose]();

/** Streams are answered in another way, refusals too: events.test.ts holds them to their callers. */
const ALL = Object.keys(TYPES)
  .filter((path) => TYPES[path] !== 'subscription')
  .map((path) => [path] as const);
const MUTATIONS = ALL.filter(([path]) => TYPES[path] === 'mutation');
const OF_WORKSPACE = ALL.filter(([path]) => !isOfAccount(path));
const WITH_IDS = OF_WORKSPACE.filter(([path]) => namesThings(path));

/** How a page of another site could have a browser send a call. */
const FORGERIES: readonly (readonly [how: string, status: number, sent: SentCall])[] = [
  ['without the header of our pages', 403, { headers: { 'x-crier-app': '' } }],
  ['from a foreign origin', 403, { headers: { origin: 'https://evil.test' } }],
  ['from a sandboxed frame', 403, { headers: { origin: 'null' } }],
  ['across sites', 403, { headers: { 'sec-fetch-site': 'cross-site' } }],
  ['from a neighbouring host', 403, { headers: { 'sec-fetch-site': 'same-site' } }],
  ['as a form', 403, { headers: { 'x-crier-app': '', 'content-type': 'text/plain' } }],
  ['by GET', 405, { method: 'GET' }],
];

/** Two furnished Workspaces; nobody is a Member of both but their first owner. */
class TwoWorkspaces {
  readonly harness: TrpcHarness;
  readonly own: Scenario;
  readonly other: Scenario;
  things!: Things;
  foreign!: Things;

  private constructor(harness: TrpcHarness) {
    this.harness = harness;
    this.own = harness.workspace(0);
    this.other = harness.workspace(5_000);
  }

  static async open(more: Parameters<typeof TrpcHarness.open>[0] = {}): Promise<TwoWorkspaces> {
    const harness = await TrpcHarness.open(more);
    onTestFinished(() => harness[Symbol.asyncDispose]());
    const made = new TwoWorkspaces(harness);
    made.things = await furnish(harness, made.own);
    made.foreign = await furnish(harness, made.other);
    return made;
  }

  get state(): string {
    return [this.own, this.other].map((each) => this.harness.stateOf(each)).join('\n');
  }
}

function isOfAccount(path: string): boolean {
  return ['account', 'everybody'].includes(caseOf(path).least);
}

function caseOf(path: string): ProcedureCase {
  return PROCEDURE_CASES[path] ?? { least: 'viewer' };
}

function inputOf(path: string, things: Things, workspaceId = things.workspaceId): Record<string, unknown> {
  const fields = caseOf(path).input?.(things) ?? {};
  return isOfAccount(path) ? fields : { workspaceId, ...fields };
}

function namesThings(path: string): boolean {
  const named = new Proxy({}, { get: (_target, name) => `an id: ${String(name)}` }) as Things;
  return JSON.stringify(caseOf(path).input?.(named) ?? {}).includes('an id: ');
}

test('every procedure of the router has a case here, and every case a procedure', () => {
  expect(Object.keys(PROCEDURE_CASES).toSorted()).toEqual(Object.keys(TYPES).toSorted());
});

describe.each(ALL)('%s', (path) => {
  const { least, areRefusalsWithin = false } = caseOf(path);

  test('without a session it is refused with 401, and changes nothing', async () => {
    const world = await TwoWorkspaces.open();
    const { harness, things } = world;
    const before = world.state;
    const { status } = await harness.call(null, path, inputOf(path, things));
    expect(status).toBe(least === 'everybody' ? 200 : 401);
    expect(world.state).toBe(before);
  });

  test('it serves whom it is for, and refuses lower roles with 403 and changes nothing', async () => {
    const world = await TwoWorkspaces.open();
    const { harness, things, own } = world;
    const allowed = ROLES.indexOf(least as MemberRole);
    for (const [rank, role] of ROLES.entries()) {
      const browser = await harness.browser(own, role);
      const before = world.state;
      const { status, problem, data } = await harness.call(browser, path, inputOf(path, things));
      const refusal = areRefusalsWithin ? data[0].status : status;
      if (rank < allowed) expect([role, refusal, world.state === before]).toEqual([role, 403, true]);
      else {
        expect([role, status, problem]).toEqual([role, 200, null]);
        // A second one of a mutation may find its thing gone.
        break;
      }
    }
  });

  test('input of any other shape is answered 4xx or served, and never a failure of ours', async () => {
    const { harness, things, own } = await TwoWorkspaces.open();
    const browser = await harness.browser(own, 'owner');
    for (const bad of [
      null,
      5,
      '',
      'x',
      [],
      [{}],
      { workspaceId: null },
      { workspaceId: '\0' },
      { ...things, x: {} },
    ]) {
      const { status } = await harness.call(browser, path, bad);
      expect([bad, status < 500]).toEqual([bad, true]);
    }
    expect(harness.reporter.failures()).toEqual([]);
  });

  test('each field of a wrong type is refused with 400 and named, and changes nothing', async () => {
    const world = await TwoWorkspaces.open();
    const { harness, things, own } = world;
    const browser = await harness.browser(own, 'owner');
    const before = world.state;
    const input = inputOf(path, things);
    for (const field of Object.keys(input)) {
      const { status, problem } = await harness.call(browser, path, { ...input, [field]: { bad: true } });
      expect([field, status, problem?.code, problem?.message]).toEqual([
        ...[field, 400, 'invalid_request'],
        expect.stringContaining(field),
      ]);
    }
    expect(world.state).toBe(before);
  });
});

describe.each(OF_WORKSPACE)('%s, of another Workspace', (path) => {
  test('the Workspace is not found for who is no Member of it, and stays as it was', async () => {
    const world = await TwoWorkspaces.open();
    const { harness, own, foreign } = world;
    const browser = await harness.browser(own, 'owner');
    const before = world.state;
    const { status, problem } = await harness.call(browser, path, inputOf(path, foreign));
    expect([status, problem?.code]).toEqual([404, 'not_found']);
    expect(world.state).toBe(before);
  });
});

describe.each(WITH_IDS)('%s, with ids of another Workspace', (path) => {
  const { foreign: refusal = 404 } = caseOf(path);

  test('what they name is not found, nothing of it is shown, and both Workspaces stay as they were', async () => {
    const world = await TwoWorkspaces.open();
    const { harness, own, things, foreign } = world;
    const browser = await harness.browser(own, 'owner');
    const before = world.state;
    const answer = await harness.call(browser, path, inputOf(path, foreign, things.workspaceId));
    expect([path, answer.status]).toEqual([path, refusal]);
    expect(world.state).toBe(before);
    if (refusal !== 200) expect(answer.data).toBeNull();
  });
});

describe.each(MUTATIONS)('%s, sent by another site', (path) => {
  test('it is refused and changes nothing, nor is the session ended', async () => {
    const world = await TwoWorkspaces.open();
    const { harness, things, own } = world;
    const browser = await harness.browser(own, 'owner');
    const before = world.state;
    for (const [how, status, sent] of FORGERIES) {
      const answer = await harness.call(browser, path, inputOf(path, things), sent);
      expect([how, answer.status, world.state === before]).toEqual([how, status, true]);
    }
    expect((await harness.call(browser, 'session.get', undefined)).data.account).not.toBeNull();
  });

  // A call that takes nothing reads no body.
  test.skipIf(Object.keys(inputOf(path, {} as Things)).length === 0)(
    'a body of more than 1 MB is refused with 413, and changes nothing',
    async () => {
      const world = await TwoWorkspaces.open();
      const { harness, things, own } = world;
      const browser = await harness.browser(own, 'owner');
      const before = world.state;
      const body = JSON.stringify({ ...inputOf(path, things), more: 'x'.repeat(1_000_001) });
      expect((await harness.call(browser, path, {}, { body })).status).toBe(413);
      expect(world.state).toBe(before);
    },
  );
});

describe('the budget of calls', () => {
  const listed = (browser: Browser, { harness, things: { workspaceId } }: TwoWorkspaces, count: number) =>
    harness.batch(
      browser,
      Array.from({ length: count }, () => ({ path: 'channels.list', input: { workspaceId } })),
    );

  test('is one for each Member over batches and browsers: what is over it waits, others go on', async () => {
    const world = await TwoWorkspaces.open({ callsPerMinute: 25 });
    const { harness, own } = world;
    const memberId = own.member('editor');
    const { email } = own.workspace.members[memberId]!;
    const [browser, again] = [await harness.signIn(email), await harness.signIn(email)];
    const statuses = [
      ...(await listed(browser, world, 10)),
      ...(await listed(again, world, 10)),
      ...(await listed(browser, world, 10)),
    ].map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(25);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    const colleague = await harness.browser(own, 'viewer');
    expect((await listed(colleague, world, 1))[0]!.status).toBe(200);
  });

  test('a batch of more than 20 calls is refused as a whole', async () => {
    const world = await TwoWorkspaces.open();
    const browser = await world.harness.browser(world.own, 'viewer');
    const answers = await listed(browser, world, 21).catch(() => []);
    expect(answers.filter(({ status }) => status === 200)).toEqual([]);
  });
});

test('changes that a page sends in one request have their own inputs each', async () => {
  const { harness, things, own } = await TwoWorkspaces.open();
  const browser = await harness.browser(own, 'owner');
  const { workspaceId, channelId } = things;
  const texts = ['the first', 'the second'];
  const answers = await harness.batch(
    browser,
    texts.map((text) => ({ path: 'posts.create', input: { workspaceId, post: { text, channelIds: [channelId] } } })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect([...own.posts.values()].map(({ text }) => text)).toEqual(expect.arrayContaining(texts));
});

test('a line about a call names its Workspace, its Member and, where it is about one, its Post', async () => {
  const { harness, things, own } = await TwoWorkspaces.open();
  const browser = await harness.browser(own, 'owner');
  harness.reporter.clear();
  await harness.call(browser, 'posts.get', inputOf('posts.get', things));
  const { data } = await harness.call(browser, 'posts.create', inputOf('posts.create', things));
  const { workspaceId, postId } = things;
  const about = { workspaceId, memberId: expect.any(String), requestId: expect.any(String), code: 'ok' };
  expect(harness.reporter.of('app-call-served').map(({ facts }) => facts)).toMatchObject([
    { ...about, procedure: 'posts.get', postId },
    { ...about, procedure: 'posts.create', postId: data.post.id },
  ]);
});
