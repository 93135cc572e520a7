import assert from 'node:assert/strict';
import fc, { type Arbitrary } from 'fast-check';
import { ADMIN_PROCEDURES, isQuery } from '#services/admin/client.ts';
import { openAdminHarness, openWorkspace, START, type AdminHarness } from '#services/admin/admin-harness.fixture.ts';
import { createOperatorCalls } from '#services/admin/operator-calls.ts';
import { createOpsServer } from '#services/ops/server.ts';
import { PUBLISH } from '#tables/declarations/topics.ts';
import { answeredInTime, assertNoFault } from '../answers.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedBody, mutatedJson, mutatedText } from '../mutations.ts';

interface AdminCall {
  readonly procedure: string;
  readonly by: keyof typeof TOKENS;
  /** JSON, or for a mutation any text. */
  readonly input: string;
}

const TOKENS = {
  operate: 'a token of who may do everything',
  read: 'a token of somebody who looks',
  process: 'a token between the processes',
  none: 'a token of nobody',
} as const;
/** Of an input that stands in an address: Node takes 16 KB of headers. */
const MOST_IN_ADDRESS = 3_000;
const HOUR_MS = 3_600_000;

interface Samples {
  readonly of: Readonly<Record<(typeof ADMIN_PROCEDURES)[number], object>>;
  /** All ids in them, of things that there are. */
  readonly ids: readonly string[];
}

const UNKNOWN = '01a20000-0000-7000-8000-000000000001';

/** What each procedure takes, with the ids of a Workspace that there is. */
async function samplesOf({ caller }: AdminHarness): Promise<Samples> {
  const { workspaceId, memberId } = await openWorkspace(caller);
  const { channelId } = await caller.channels.connectSandbox({ workspaceId, network: 'threads', name: 'Ada' });
  const { keyId } = await caller.keys.create({ workspaceId, memberId, name: 'a key', permissions: [] });
  await openWorkspace(caller);
  const { nextCursor } = await caller.workspaces.list({ limit: 1 });
  const ofWorkspace = { workspaceId };
  const member = { workspaceId, memberId };
  const invited = { workspaceId, email: 'bob@example.test', name: 'Bob', role: 'editor' };
  const channel = { workspaceId, channelId };
  const [from, to] = [START - HOUR_MS, START + HOUR_MS].map((at) => new Date(at).toISOString());
  const parked = { topic: PUBLISH.x.name, key: channelId };
  const sandboxed = { workspaceId, network: 'x', name: 'Grace', kind: '' };
  const key = { workspaceId, memberId, name: 'k', permissions: ['posts:publish'], readOnly: false, allowedIps: [] };
  const of: Samples['of'] = {
    'workspaces.create': { name: 'New', ownerEmail: 'eve@example.test', ownerName: 'Eve', plan: 'pro' },
    'workspaces.setPlan': { workspaceId, plan: 'agency', effectiveAt: to },
    'workspaces.addCredits': { workspaceId, credits: 5 },
    ...{ 'workspaces.get': ofWorkspace, 'workspaces.list': { cursor: nextCursor, limit: 5 } },
    ...{ 'posts.get': { postId: channelId, workspaceId }, 'variants.get': { variantId: channelId, workspaceId } },
    ...{ 'shards.list': {}, 'groups.list': {} },
    ...{ 'members.add': invited, 'members.invite': invited, 'members.changeRole': { ...member, role: 'viewer' } },
    ...{ 'members.remove': member, 'members.verifyEmail': member },
    'channels.connect': { workspaceId, network: 'x', name: 'Grace', channelId: null },
    ...{ 'channels.connectSandbox': sandboxed, 'channels.disconnect': { ...channel, memberId } },
    'channels.setDefaults': { ...channel, defaults: { topicTag: 'Ours', replyControl: 'everyone' } },
    ...{ 'keys.create': key, 'keys.revoke': { workspaceId, keyId } },
    'audit.list': { workspaceId, from, to, limit: 5 },
    ...{ 'apps.list': ofWorkspace, 'apps.revoke': { workspaceId, approvalId: keyId }, 'oauth.rotateKeys': {} },
    ...{ 'endpoints.list': ofWorkspace, 'failingEndpoints.list': { forHours: 24, limit: 5 } },
    ...{ 'deliveries.get': { deliveryId: keyId }, 'deliveries.replay': { deliveryId: keyId } },
    'clock.advance': { milliseconds: 1_000 },
    ...{ 'cluster.raiseFormat': {}, 'cluster.status': {} },
    'publishing.hold': { network: 'x', workspaceId, reason: 'for a test' },
    'publishing.release': { network: 'x', workspaceId },
    ...{ 'publishing.status': {}, 'secrets.reseal': {}, 'secrets.status': {} },
    ...{ 'parked.list': { topic: parked.topic }, 'parked.retry': parked, 'parked.skip': parked },
    ...{ 'deadLetters.list': { limit: 5 }, 'deadLetters.get': { id: keyId }, 'deadLetters.redrive': { id: keyId } },
    ...{ 'orphans.list': { after: null, limit: 5 }, 'orphans.remove': {} },
    ...{ 'tenants.top': { count: 5 }, 'timers.count': { hours: 1, limit: 10 } },
    ...{ 'log.level': { level: 'debug', minutes: 5 }, 'log.status': {}, 'system.status': {} },
  };
  return { of, ids: [workspaceId, memberId, channelId, keyId] };
}

/**
 * With the id of something else, or of nothing, in the place of one: of the right form, so that procedures look for
 * it.
 */
function withOtherId(sample: object, ids: Samples['ids']): Arbitrary<object> {
  const text = JSON.stringify(sample);
  const named = ids.filter((id) => text.includes(id));
  if (named.length === 0) return fc.constant(sample);
  const other = fc.oneof(fc.constant(UNKNOWN), fc.constantFrom(...ids));
  return fc.tuple(fc.constantFrom(...named), other).map(([id, by]) => JSON.parse(text.replaceAll(id, by)) as object);
}

function brokenCalls({ of, ids }: Samples): Arbitrary<AdminCall> {
  const by = fc.oneof(
    { weight: 6, arbitrary: fc.constant('operate' as const) },
    { weight: 3, arbitrary: fc.constantFrom('read' as const, 'process' as const, 'none' as const) },
  );
  return fc.constantFrom(...ADMIN_PROCEDURES).chain((known) => {
    const sample = withOtherId(of[known], ids);
    const json = mutatedJson(sample).map((value) => JSON.stringify(value) ?? 'null');
    const broken = isQuery(known)
      ? json.filter((text) => encodeURIComponent(text).length <= MOST_IN_ADDRESS)
      : mutatedBody(sample);
    const input = fc.oneof(
      { weight: 2, arbitrary: broken },
      { weight: 1, arbitrary: sample.map((value) => JSON.stringify(value)) },
    );
    const names = mutatedText(fc.constant(known)).map((text) => text.slice(0, 200).toWellFormed());
    const procedure = fc.oneof({ weight: 9, arbitrary: fc.constant<string>(known) }, { weight: 1, arbitrary: names });
    return fc.record({ procedure, by, input });
  });
}

export const adminCalls = fuzzTarget<AdminCall>({
  name: 'admin-calls',
  holds: 'a call of admin is answered, never by a 500, and is carried out for no token that may not ask for it',
  cases: 300,
  open: async () => {
    const harness = await openAdminHarness();
    const { reporter } = harness;
    const samples = await samplesOf(harness);
    const calls = createOperatorCalls(harness.options);
    const server = createOpsServer({
      ...{ host: '127.0.0.1', port: 0, internalTokens: [TOKENS.process], reporter, router: harness.router },
      strangers: { take: () => null },
      operators: [
        { name: 'ada', role: 'operate', token: TOKENS.operate },
        { name: 'grafana', role: 'read', token: TOKENS.read },
      ],
      contextOf: (operator) => ({ operator, ...calls }),
      health: async () => ({ ready: true, checks: [] }),
      hanging: () => [],
      metrics: { text: async () => '', contentType: 'text/plain' },
      answers: harness.router,
      registry: null,
    });
    await server.start();
    const { url } = server.address();
    const send = async ({ procedure, by, input }: AdminCall): Promise<number> => {
      const at = `${url}/trpc/${encodeURIComponent(procedure)}`;
      const headers = { authorization: `Bearer ${TOKENS[by]}`, 'content-type': 'application/json' };
      const answer = isQuery(procedure)
        ? await fetch(`${at}?input=${encodeURIComponent(input)}`, { headers })
        : await fetch(at, { method: 'POST', headers, body: input });
      const { error } = (await answer.json()) as { readonly error?: unknown };
      assert.equal(error === undefined, answer.ok, `an answer of ${answer.status} has no error, or one too many`);
      return answer.status;
    };
    return {
      inputs: brokenCalls(samples),
      crashes: {},
      sizeOf: ({ input }) => input.length,
      allowedMs: 150,
      check: async (call) => {
        const status = await answeredInTime(send(call));
        assert(status < 500, `it was answered by ${status}`);
        if (call.by === 'none' || call.by === 'process') assert.equal(status, 401, `${call.by} was let in`);
        if (call.by === 'read' && !isQuery(call.procedure))
          assert(status >= 400, 'who may only look changed something');
        assertNoFault(reporter);
      },
      close: async () => {
        await server.stop();
        await harness[Symbol.asyncDispose]();
      },
    };
  },
});
