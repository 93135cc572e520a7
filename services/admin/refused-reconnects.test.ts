import { describe, expect, test } from 'vitest';
import { approveAtSandbox } from '#connections/connect.ts';
import type { EndConnection } from '#messages/messages.ts';
import { CONNECTION_UPKEEP } from '#tables/declarations/topics.ts';
import { CONNECTIONS } from '#tables/declarations/tables.ts';
import { until } from '#testing/until.ts';
import { openAdminHarness, openWorkspace, type AdminHarness } from './admin-harness.fixture.ts';

interface Reconnecting {
  readonly workspaceId: string;
  readonly channelId: string;
  readonly accountId: string;
  readonly memberId: string;
  /** Comes back from the Network. */
  finish(): Promise<{ readonly kind: string }>;
}

/** A Member who is at the Network, to connect a Channel again that is connected. */
async function reconnecting({ caller, options, http }: AdminHarness): Promise<Reconnecting> {
  const { workspaceId } = await openWorkspace(caller);
  const { signIns } = options;
  const connected = await caller.channels.connectSandbox({ workspaceId, network: 'threads', name: 'News' });
  const { memberId } = await caller.members.add({ workspaceId, name: 'Ed', email: 'ed@example.test' });
  const { ticket } = await signIns.begin({
    ...{ workspaceId, network: 'threads', name: null, memberId },
    reconnects: connected,
  });
  const started = await signIns.start(ticket);
  if (started.kind !== 'started') throw new Error('the sign-in did not start');
  const { authorizeUrl, browserKey } = started;
  const approved = await approveAtSandbox(http, authorizeUrl, { name: 'News', accountId: connected.accountId });
  if (!approved.ok) throw new Error(approved.detail);
  const { code, state } = approved;
  const finish = () => signIns.finish({ network: 'threads', browserKey, state, code, error: '' });
  return { workspaceId, ...connected, memberId, finish };
}

async function rowOf({ store }: AdminHarness, channelId: string): Promise<string> {
  return Buffer.from((await store.read(CONNECTIONS, [channelId], []))!.body).toString();
}

/** The order by which a Disconnect has the tokens of the Channel ended. */
async function orderedEnd({ log, codec }: AdminHarness): Promise<EndConnection> {
  const found = async (): Promise<EndConnection | undefined> => {
    for (let partition = 0; partition < CONNECTION_UPKEEP.partitions; partition++)
      for (const { value } of log.control.records({ topic: CONNECTION_UPKEEP.name, partition })) {
        const decoded = await codec.decode(value);
        if (decoded.ok && decoded.message.type === 'EndConnection') return decoded.message;
      }
    return undefined;
  };
  return until(found, { what: 'the order is in the log' });
}

describe('a reconnect that the Workspace refuses, since its Member was removed meanwhile,', () => {
  test('leaves the Channel working, and its Disconnect ends the tokens that came with it', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId, channelId, memberId, finish } = await reconnecting(harness);
    await harness.caller.members.remove({ workspaceId, memberId });
    expect(await finish()).toMatchObject({ kind: 'problem' });
    expect(await harness.connections.tokensFor(channelId, 'threads')).toMatchObject({ kind: 'ok' });

    await harness.caller.channels.disconnect({ workspaceId, channelId });
    const { connectionId } = await orderedEnd(harness);
    expect(await harness.connections.end({ channelId, connectionId, isLastTry: true })).toMatchObject({
      kind: 'ended',
    });
    expect(await rowOf(harness, channelId)).toContain('"sealed":""');
  });

  test('leaves no tokens where the Channel was disconnected, too', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId, channelId, memberId, finish } = await reconnecting(harness);
    await harness.caller.members.remove({ workspaceId, memberId });
    await harness.caller.channels.disconnect({ workspaceId, channelId });
    expect(await finish()).toMatchObject({ kind: 'problem' });
    expect(await rowOf(harness, channelId)).toContain('"sealed":""');
  });
});
