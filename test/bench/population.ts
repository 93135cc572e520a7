import type { BenchAdmin, CrierServer } from './crier-server.ts';

/** Workspaces with Channels and keys, made through admin, on a sandbox without limits or waits. */
export interface Population {
  readonly workspaces: readonly Home[];
}

export interface Home {
  /** From 1. */
  readonly number: number;
  readonly workspaceId: string;
  readonly keys: readonly string[];
  /** Channels of x. */
  readonly channelIds: readonly string[];
  /** Channels of threads. */
  readonly threadsChannelId: string;
}

export interface PopulationPlan {
  readonly workspaces: number;
  readonly channelsAWorkspace: number;
  readonly keysAWorkspace: number;
}

const CREDITS = 1_000_000_000;
const NO_LIMIT = 1_000_000_000;

export async function buildPopulation(server: CrierServer, plan: PopulationPlan): Promise<Population> {
  await freeSandbox(server.sandboxUrl);
  const workspaces: Home[] = [];
  for (let number = 1; number <= plan.workspaces; number++)
    workspaces.push(await buildHome(server.admin, number, plan));
  return { workspaces };
}

/** Fewer than the sign-ins that one client may ask for in ten minutes. Each owns several of many Workspaces. */
const OWNERS = 20;

/** The address of the owner of a Workspace. */
export function ownerOf(number: number): string {
  return `bench${1 + ((number - 1) % OWNERS)}@example.test`;
}

async function buildHome(admin: BenchAdmin, number: number, plan: PopulationPlan): Promise<Home> {
  const { workspaceId, memberId } = await admin.workspaces.create.mutate({
    name: `Bench ${number}`,
    ownerEmail: ownerOf(number),
    plan: 'agency',
  });
  await admin.workspaces.addCredits.mutate({ workspaceId, credits: CREDITS });
  const connect = async (network: 'x' | 'threads', name: string): Promise<string> =>
    (await admin.channels.connectSandbox.mutate({ workspaceId, network, name })).channelId;
  const channelIds: string[] = [];
  for (let channel = 1; channel <= plan.channelsAWorkspace; channel++)
    channelIds.push(await connect('x', `x${number}_${channel}`));
  const threadsChannelId = await connect('threads', `threads${number}`);
  const keys: string[] = [];
  for (let key = 1; key <= plan.keysAWorkspace; key++) {
    const { apiKey } = await admin.keys.create.mutate({
      workspaceId,
      memberId,
      name: `Key ${key}`,
      permissions: ['posts:schedule', 'posts:publish'],
    });
    keys.push(apiKey);
  }
  return { number, workspaceId, keys, channelIds, threadsChannelId };
}

async function freeSandbox(sandboxUrl: string): Promise<void> {
  const limits: Readonly<Record<string, readonly string[]>> = {
    x: ['tweetsCreatePerUser', 'tweetsCreatePerApp', 'usersTweetsPerUser', 'usersTweetsPerApp'],
  };
  for (const network of ['x', 'threads']) {
    await control(sandboxUrl, '/sandbox/timing', { network, factor: 0 });
    const names = limits[network];
    if (names !== undefined)
      await control(sandboxUrl, '/sandbox/limits', {
        network,
        limits: Object.fromEntries(names.map((name) => [name, NO_LIMIT])),
      });
  }
}

async function control(sandboxUrl: string, path: string, body: unknown): Promise<void> {
  const answer = await fetch(sandboxUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
}
