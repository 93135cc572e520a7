import { createHash } from 'node:crypto';
import { connectSandboxAccount } from '#connections/connect.ts';
import type { Result } from '#domain/workspace/results.ts';
import { sandboxHttp } from '#services/sandbox/sandbox-http.fixture.ts';
import { shardOf } from '#tables/declarations/topics.ts';
import { SimulatedCaller, type Draft, type Workspace } from './caller.ts';
import type { History } from './history.ts';
import { PARTITIONS, REDIRECT, type Process, type World } from './world.ts';

const FIRST_CREDITS = 12;
/** Begins the names of the accounts of Channels that nothing but a Downgrade ever concerns. */
export const OTHER_ACCOUNT = 'other-';
/**
 * So many other Channels are listed before the real ones that a Downgrade to the free Plan removes the last of them.
 */
const CHANNELS_BEFORE = 5;

/** Workspaces with a key, credits and a Channel on X and on Threads, made before the first fault. */
export async function foundWorkspaces(world: World, history: History, count: number): Promise<readonly Workspace[]> {
  const workspaces: Workspace[] = [];
  // Few partitions have several busy keys each.
  const partitions = world.engine.pick([1, 2, PARTITIONS]);
  for (let number = 1; number <= count; number++)
    workspaces.push(await foundWorkspace(world, history, `Workspace ${number}`, partitions));
  return workspaces;
}

async function foundWorkspace(world: World, history: History, name: string, partitions: number): Promise<Workspace> {
  const caller = new SimulatedCaller(world);
  const ingress = world.up('ingress')[0]!;
  const fresh = (): string => ingress.ids.uuid7(ingress.clock.now());
  let id = fresh();
  while (shardOf(id) >= partitions) id = fresh();
  const memberId = fresh();
  const keyId = fresh();
  const owner = { memberId, name: 'Ada', email: 'ada@example.com', emailVerified: true };
  expectDone(await caller.tell({ type: 'CreateWorkspace', workspaceId: id, name, plan: 'pro', owner }));
  history.add({
    kind: 'credits',
    workspaceId: id,
    invokedAt: world.engine.now,
    completedAt: world.engine.now,
    seen: 'ok',
    code: '',
    credits: FIRST_CREDITS,
  });
  const holderId = world.parts.includes('members') ? await addKeyHolder(caller, id, fresh()) : memberId;
  const tokenHash = createHash('sha256').update(keyId).digest('hex');
  const before = Array.from({ length: CHANNELS_BEFORE }, (_, index) =>
    caller.tell({
      type: 'ConnectChannel',
      workspaceId: id,
      channelId: fresh(),
      network: 'x',
      name: `other ${index}`,
      avatarUrl: null,
      accountId: `${OTHER_ACCOUNT}${index}`,
      kind: '',
    }),
  );
  const rest = [
    caller.tell({ type: 'AddCredits', workspaceId: id, credits: FIRST_CREDITS }),
    caller.tell({
      type: 'CreateKey',
      workspaceId: id,
      keyId,
      memberId: holderId,
      name: 'key',
      permissions: ['posts:schedule', 'posts:publish', 'webhooks:manage'],
      tokenHash,
    }),
  ];
  for (const result of await Promise.all([...before, ...rest])) expectDone(result);
  const x = await connect(world, ingress, caller, id, 'x', fresh(), null);
  const threads = await connect(world, ingress, caller, id, 'threads', fresh(), null);
  if (x === null || threads === null) throw new Error('a Channel could not be connected while all is calm');
  return {
    id,
    keyId,
    ownerId: memberId,
    ownerEmail: owner.email,
    channels: { x: x.channelId, threads: threads.channelId },
    accounts: { x: x.accountId, threads: threads.accountId },
  };
}

/** Where Members come and go, what clients do goes on by the key of one whom nobody removes. */
async function addKeyHolder(caller: SimulatedCaller, workspaceId: string, memberId: string): Promise<string> {
  const holder = { name: 'Cy', email: 'cy@example.com' };
  expectDone(await caller.tell({ type: 'AddMember', workspaceId, memberId, ...holder }));
  expectDone(await caller.tell({ type: 'VerifyEmail', workspaceId, memberId }));
  return memberId;
}

/** Who waits, and tells the Workspace what was connected. */
interface Connecting {
  pause(ms: number): Promise<void>;
  tell(draft: Draft): Promise<{ readonly ok: boolean } | null>;
}

/** Connects a Channel, or reconnects it with its own account. Null: it failed, or its outcome is unknown. */
export async function connect(
  world: World,
  ingress: Process,
  caller: Connecting,
  workspaceId: string,
  network: 'x' | 'threads',
  channelId: string,
  accountId: string | null,
): Promise<{ readonly channelId: string; readonly accountId: string } | null> {
  // The steps of a person in a browser are not simulated, and take no time.
  const http = sandboxHttp(world.sandbox);
  const account = {
    redirectUri: REDIRECT,
    name: `${network} of ${workspaceId}`,
    ...(accountId !== null && { accountId }),
  };
  const connected = await connectSandboxAccount({
    http,
    clock: ingress.clock,
    ids: ingress.ids,
    auth: world.networks.auths[network]!,
    ...account,
  });
  if (!connected.ok) return null;
  const saved = ingress.factory.connections
    .save({ id: channelId, workspaceId, network }, connected.tokens, connected.profile)
    .then(
      () => true,
      () => false,
    );
  const over = caller.pause(15_000).then(() => false);
  if (!(await Promise.race([saved, over]))) return null;
  const { name, avatarUrl, kind } = connected.profile;
  const result = await caller.tell({
    type: 'ConnectChannel',
    workspaceId,
    channelId,
    network,
    name,
    avatarUrl,
    accountId: connected.profile.accountId,
    kind,
  });
  return result?.ok === true ? { channelId, accountId: connected.profile.accountId } : null;
}

function expectDone(result: Result | null): void {
  if (result?.ok !== true) throw new Error(`could not be set up: ${JSON.stringify(result)}`);
}
