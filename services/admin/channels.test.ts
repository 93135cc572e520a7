import { describe, expect, test } from 'vitest';
import type { EndConnection } from '#messages/messages.ts';
import { CONNECTIONS } from '#tables/declarations/tables.ts';
import { CONNECTION_UPKEEP } from '#tables/declarations/topics.ts';
import { until } from '#testing/until.ts';
import { openAdminHarness, openWorkspace, type AdminHarness } from './admin-harness.fixture.ts';

const UNKNOWN_ID = '01930000-0000-7000-8000-000000000001';

async function channelOf(harness: AdminHarness, workspaceId: string, channelId: string) {
  const channels = (await harness.caller.workspaces.get({ workspaceId })).channels;
  return channels.find((channel) => channel.channelId === channelId);
}

async function endsOrdered({ log, codec }: AdminHarness): Promise<readonly EndConnection[]> {
  const records = Array.from({ length: CONNECTION_UPKEEP.partitions }, (_, partition) =>
    log.control.records({ topic: CONNECTION_UPKEEP.name, partition }),
  ).flat();
  const decoded = await Promise.all(records.map(({ value }) => codec.decode(value)));
  return decoded.flatMap((each) => (each.ok && each.message.type === 'EndConnection' ? [each.message] : []));
}

async function revokeAt(harness: AdminHarness, accountId: string): Promise<void> {
  const answer = await harness.http.send({
    method: 'POST',
    url: `http://sandbox.test/sandbox/accounts/${accountId}/revoke`,
    timeoutMs: 1_000,
  });
  expect(answer.status).toBeLessThan(300);
}

describe('channels.connectSandbox', () => {
  test.each(['x', 'threads'] as const)(
    'signs in to %s as a person would: the Channel is listed, and its tokens work',
    async (network) => {
      await using harness = await openAdminHarness();
      const { workspaceId } = await openWorkspace(harness.caller);
      const { channelId, accountId } = await harness.caller.channels.connectSandbox({
        workspaceId,
        network,
        name: 'News',
      });
      expect(await channelOf(harness, workspaceId, channelId)).toMatchObject({
        network,
        name: 'News',
        accountId,
        state: 'connected',
      });
      expect(await harness.connections.tokensFor(channelId, network)).toMatchObject({ kind: 'ok', accountId });
    },
  );

  test('the tokens are stored before the Channel is connected', async () => {
    const seen: unknown[] = [];
    await using harness = await openAdminHarness((options) => ({
      request: async (command) => {
        if (command.type === 'ConnectChannel')
          seen.push(await options.store.read(CONNECTIONS, [command.channelId], []));
        return options.request(command);
      },
    }));
    const { workspaceId } = await openWorkspace(harness.caller);
    await harness.caller.channels.connectSandbox({ workspaceId, network: 'x', name: 'News' });
    expect(seen).toEqual([expect.objectContaining({ version: 1 })]);
  });

  test('a reconnect signs in to the same account and replaces a revoked token', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId } = await openWorkspace(harness.caller);
    const { channelId, accountId } = await harness.caller.channels.connectSandbox({
      workspaceId,
      network: 'x',
      name: 'News',
    });
    const before = await harness.connections.tokensFor(channelId, 'x');
    await revokeAt(harness, accountId);
    expect(
      await harness.connections.refreshNow(channelId, before.kind === 'ok' ? before.accessToken : ''),
    ).toMatchObject({ kind: 'needs_reconnect' });
    expect(
      await harness.caller.channels.connectSandbox({ workspaceId, network: 'x', name: 'News', channelId }),
    ).toEqual({ channelId, accountId });
    expect(await harness.connections.tokensFor(channelId, 'x')).toMatchObject({ kind: 'ok', accountId });
    expect((await harness.caller.workspaces.get({ workspaceId })).channels).toHaveLength(1);
  });

  test('a Channel that the Plan refuses leaves no tokens behind', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId } = await openWorkspace(harness.caller, 'free');
    const connect = () => harness.caller.channels.connectSandbox({ workspaceId, network: 'x', name: 'News' });
    const saved: string[] = [];
    const { save } = harness.connections;
    Object.assign(harness.connections, {
      save: (...about: Parameters<typeof save>) => (saved.push(about[0].id), save(...about)),
    });
    for (let channel = 0; channel < 6; channel++) await connect();
    await expect(connect()).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      cause: { refusal: { code: 'plan_limit', upgrade: { plan: 'pro' } } },
    });
    expect(saved).toHaveLength(7);
    expect(await harness.connections.tokensFor(saved[6]!, 'x')).toMatchObject({ kind: 'needs_reconnect' });
    expect(await harness.connections.tokensFor(saved[5]!, 'x')).toMatchObject({ kind: 'ok' });
  });

  test('tokens are kept where the outcome of ConnectChannel is unknown', async () => {
    let channelId = '';
    await using harness = await openAdminHarness((options) => ({
      request: (command) => {
        if (command.type !== 'ConnectChannel') return options.request(command);
        channelId = command.channelId;
        return Promise.resolve({
          requestId: command.requestId,
          result: { ok: false, code: 'outcome_unknown', message: 'Not known.' },
        });
      },
    }));
    const { workspaceId } = await openWorkspace(harness.caller);
    await expect(
      harness.caller.channels.connectSandbox({ workspaceId, network: 'x', name: 'News' }),
    ).rejects.toMatchObject({ cause: { refusal: { code: 'outcome_unknown' } } });
    expect(await harness.connections.tokensFor(channelId, 'x')).toMatchObject({ kind: 'ok' });
  });

  test.each([
    ['a Workspace that is not there', { workspaceId: UNKNOWN_ID }, 'NOT_FOUND'],
    ['a Channel that is not there', { channelId: UNKNOWN_ID }, 'NOT_FOUND'],
    ['no Network at all', { network: 'myspace' }, 'BAD_REQUEST'],
    ['a kind of account the Network does not know', { kind: 'emperor' }, 'UNPROCESSABLE_CONTENT'],
  ])('%s is refused, and no Channel is made', async (_, more, code) => {
    await using harness = await openAdminHarness();
    const { workspaceId } = await openWorkspace(harness.caller);
    await expect(
      harness.caller.channels.connectSandbox({ workspaceId, network: 'x', name: 'News', ...more } as never),
    ).rejects.toMatchObject({ code });
    expect((await harness.caller.workspaces.get({ workspaceId })).channels).toEqual([]);
  });

  test('a Channel is not reconnected as one of another Network', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId } = await openWorkspace(harness.caller);
    const { channelId } = await harness.caller.channels.connectSandbox({ workspaceId, network: 'x', name: 'News' });
    await expect(
      harness.caller.channels.connectSandbox({ workspaceId, network: 'threads', name: 'News', channelId }),
    ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('is refused with the real Networks', async () => {
    await using harness = await openAdminHarness(() => ({ sandbox: null }));
    const { workspaceId } = await openWorkspace(harness.caller);
    await expect(
      harness.caller.channels.connectSandbox({ workspaceId, network: 'x', name: 'News' }),
    ).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  });
});

test('channels.connect names the settings that are missing where a real Network is not set up', async () => {
  await using harness = await openAdminHarness(() => ({ sandbox: null, networks: ['threads'] }));
  const { workspaceId } = await openWorkspace(harness.caller);
  const message =
    'network: x is not set up on this installation. Set CRIER_X_CLIENT_ID and CRIER_X_CLIENT_SECRET to those of your app there.';
  await expect(harness.caller.channels.connect({ workspaceId, network: 'x' })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message,
  });
});

describe('channels.disconnect', () => {
  test('ends the Channel, and leaves an order to end its tokens', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId, memberId } = await openWorkspace(harness.caller);
    const { channelId } = await harness.caller.channels.connectSandbox({
      workspaceId,
      network: 'threads',
      name: 'News',
    });
    await harness.caller.channels.disconnect({ workspaceId, channelId, memberId });
    expect(await channelOf(harness, workspaceId, channelId)).toMatchObject({ state: 'not_connected' });
    const order = await until(async () => (await endsOrdered(harness))[0], { what: 'the order is in the log' });
    expect(order).toMatchObject({ type: 'EndConnection', workspaceId, channelId, network: 'threads', tries: 0 });
    const ended = { channelId, connectionId: order.connectionId, isLastTry: true };
    expect(await harness.connections.end(ended)).toMatchObject({ kind: 'ended' });
    expect(await harness.connections.tokensFor(channelId, 'threads')).toMatchObject({ kind: 'needs_reconnect' });
  });

  test('a Channel of another Workspace is not found, and keeps its tokens', async () => {
    await using harness = await openAdminHarness();
    const theirs = await openWorkspace(harness.caller);
    const { channelId } = await harness.caller.channels.connectSandbox({
      workspaceId: theirs.workspaceId,
      network: 'x',
      name: 'News',
    });
    const { workspaceId } = await openWorkspace(harness.caller);
    await expect(harness.caller.channels.disconnect({ workspaceId, channelId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await harness.connections.tokensFor(channelId, 'x')).toMatchObject({ kind: 'ok' });
  });
});
