import { TRPCClientError } from '@trpc/client';
import { describe, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createAnswersRouter } from '#adapters/trpc/answers-router.ts';
import { createOpsServer } from '#services/ops/server.ts';
import { ADMIN_PROCEDURES, callAdmin, createAdminClient, isQuery } from './client.ts';
import { createOperatorCalls } from './operator-calls.ts';
import { openAdminHarness } from './admin-harness.fixture.ts';
import type { AdminOptions } from './dependencies.ts';

const TOKEN = 'the admin token of this test';
const [ADA, READER] = ['a token of ada alone', 'a token that only looks'];

/** A harness whose procedures are served over HTTP as in production. */
async function openServedHarness(replaced?: (options: AdminOptions) => Partial<AdminOptions>) {
  const harness = await openAdminHarness(replaced);
  const reporter = createMemoryReporter();
  const calls = createOperatorCalls({ ...harness.options, reporter });
  const server = createOpsServer({
    host: '127.0.0.1',
    port: 0,
    strangers: { take: () => null },
    operators: [
      { name: 'admin', role: 'operate', token: TOKEN },
      { name: 'ada', role: 'operate', token: ADA },
      { name: 'grafana', role: 'read', token: READER },
    ],
    internalTokens: [],
    contextOf: (operator) => ({ operator, ...calls }),
    health: async () => ({ ready: true, checks: [] }),
    hanging: () => [],
    metrics: { text: async () => '', contentType: 'text/plain' },
    answers: createAnswersRouter(() => {}),
    router: harness.router,
    registry: null,
    reporter,
  });
  await server.start();
  const address = { url: server.address().url, token: TOKEN };
  return {
    harness,
    reporter,
    address,
    client: createAdminClient(address),
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await harness[Symbol.asyncDispose]();
    },
  };
}

describe('over HTTP', () => {
  test('the typed client runs a Workspace from start to end', async () => {
    await using counter = await openServedHarness();
    const { workspaceId, memberId } = await counter.client.workspaces.create.mutate({
      name: 'Agency',
      ownerEmail: 'ada@example.test',
    });
    const { apiKey } = await counter.client.keys.create.mutate({
      workspaceId,
      memberId,
      name: 'CI',
      permissions: ['posts:publish'],
    });
    const { channelId } = await counter.client.channels.connectSandbox.mutate({
      workspaceId,
      network: 'x',
      name: 'News',
    });
    expect(apiKey).toMatch(/^crier_/);
    expect(await counter.client.workspaces.get.query({ workspaceId })).toMatchObject({
      channels: [{ channelId, state: 'connected' }],
      keys: [{ name: 'CI' }],
    });
  });

  test('who called what is kept, by the name of the token: changes always, refused ones too, looks never', async () => {
    await using counter = await openServedHarness();
    const ada = createAdminClient({ ...counter.address, token: ADA });
    const grafana = createAdminClient({ ...counter.address, token: READER });
    const { workspaceId } = await ada.workspaces.create.mutate({ name: 'Agency', ownerEmail: 'ada@example.test' });
    await counter.client.workspaces.addCredits.mutate({ workspaceId, credits: 5 });
    await expect(grafana.workspaces.addCredits.mutate({ workspaceId, credits: 5 })).rejects.toThrow(
      'The token of grafana may only look: it has the role read.',
    );
    await expect(ada.members.remove.mutate({ workspaceId, memberId: workspaceId })).rejects.toThrow();
    await expect(ada.workspaces.addCredits.mutate({ workspaceId, credits: 0.5 })).rejects.toThrow();
    await ada.oauth.rotateKeys.mutate();
    expect((await grafana.workspaces.get.query({ workspaceId })).xCredits).toMatchObject({ available: 5 });

    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    const kept = [
      { at, actor: 'ada', procedure: 'oauth.rotateKeys', workspaceId: null, outcome: 'done' },
      { at, actor: 'ada', procedure: 'workspaces.addCredits', workspaceId, outcome: 'bad_request' },
      { at, actor: 'ada', procedure: 'members.remove', workspaceId, outcome: expect.not.stringMatching('done') },
      { at, actor: 'grafana', procedure: 'workspaces.addCredits', workspaceId, outcome: 'forbidden' },
      { at, actor: 'admin', procedure: 'workspaces.addCredits', workspaceId, outcome: 'done' },
      { at, actor: 'ada', procedure: 'workspaces.create', workspaceId, outcome: 'done' },
    ];
    const all = await grafana.audit.list.query();
    expect(all.nextCursor).toBeNull();
    expect(all.items).toHaveLength(kept.length);
    expect(all.items).toEqual(expect.arrayContaining(kept));
    const of = await grafana.audit.list.query({ workspaceId });
    expect(of.items).toHaveLength(5);
    const first = await grafana.audit.list.query({ limit: 4 });
    const rest = await grafana.audit.list.query({ limit: 4, cursor: first.nextCursor! });
    expect([...first.items, ...rest.items]).toEqual(all.items);
    expect(rest.nextCursor).toBeNull();
    const told = counter.reporter.of('operator-called');
    expect(told).toHaveLength(6);
    expect(told[1]!.facts).toMatchObject({
      actor: 'admin',
      procedure: 'workspaces.addCredits',
      outcome: 'ok',
      workspaceId,
    });
    // One event for each call, whatever it does.
    expect(counter.reporter.of('operator-looked')).toHaveLength(5);
  });

  test('without the token nothing is done, and the call is refused', async () => {
    await using counter = await openServedHarness();
    const stranger = createAdminClient({ ...counter.address, token: 'a guess of a token' });
    await expect(stranger.system.status.query()).rejects.toBeInstanceOf(TRPCClientError);
    expect(await callAdmin({ ...counter.address, token: 'a guess of a token' }, 'system.status', {})).toMatchObject({
      ok: false,
      reason: 'UNAUTHORIZED',
      message: expect.stringContaining('admin token'),
    });
  });

  test('by name, as the command line does it: queries and mutations, with refusals by code', async () => {
    await using counter = await openServedHarness();
    const made = await callAdmin(counter.address, 'workspaces.create', {
      name: 'Agency',
      ownerEmail: 'ada@example.test',
    });
    expect(made).toEqual({ ok: true, value: { workspaceId: expect.any(String), memberId: expect.any(String) } });
    const { workspaceId } = (made as unknown as { value: { workspaceId: string } }).value;
    expect(await callAdmin(counter.address, 'workspaces.get', { workspaceId })).toMatchObject({
      ok: true,
      value: { name: 'Agency' },
    });
    expect(await callAdmin(counter.address, 'workspaces.addCredits', { workspaceId, credits: -5 })).toMatchObject({
      ok: false,
      reason: 'invalid_request',
      message: expect.stringContaining('credits'),
    });
    expect(await callAdmin(counter.address, 'workspaces.create', { name: 'Agency' })).toEqual({
      ok: false,
      reason: 'BAD_REQUEST',
      message: 'ownerEmail: must be a string.',
    });
    expect(await callAdmin(counter.address, 'workspaces.create', undefined)).toMatchObject({
      ok: false,
      reason: 'BAD_REQUEST',
    });
    expect(await callAdmin(counter.address, 'system.status', undefined)).toMatchObject({ ok: true });
    expect(await callAdmin(counter.address, 'parked.list', undefined)).toEqual({
      ok: true,
      value: { parked: [], more: false },
    });
  });

  test('an unknown procedure is refused before anything is sent, with the list of procedures', async () => {
    expect(await callAdmin({ url: 'http://127.0.0.1:1', token: TOKEN }, 'workspaces.drop', {})).toMatchObject({
      ok: false,
      reason: 'NOT_FOUND',
      message: expect.stringContaining('workspaces.create'),
    });
  });

  test('an address that does not answer is an UNREACHABLE', async () => {
    expect(await callAdmin({ url: 'http://127.0.0.1:1', token: TOKEN }, 'system.status', {})).toMatchObject({
      ok: false,
      reason: 'UNREACHABLE',
      message: expect.stringContaining('http://127.0.0.1:1'),
    });
  });

  test('an unexpected error is reported in full, and answered without its text', async () => {
    await using counter = await openServedHarness(() => ({
      request: () => Promise.reject(new Error('secret of the house')),
    }));
    const answer = await fetch(`${counter.address.url}/trpc/workspaces.create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'A', ownerEmail: 'a@b' }),
    });
    const body = await answer.text();
    expect([answer.status, body]).toEqual([500, expect.not.stringMatching(/secret|stack/)]);
    expect(counter.reporter.failures()).toMatchObject([
      { event: 'procedure-failed', error: { message: 'secret of the house' } },
    ]);
  });
});

describe('the list of procedures', () => {
  test('is what the router has, queries as queries and mutations as mutations', async () => {
    await using harness = await openAdminHarness();
    const declared = Object.entries(
      harness.router._def.procedures as unknown as Record<string, { _def: { type: string } }>,
    );
    expect(declared.map(([name]) => name).toSorted()).toEqual([...ADMIN_PROCEDURES].toSorted());
    for (const [name, { _def }] of declared) expect(_def.type === 'query', name).toBe(isQuery(name));
  });
});
