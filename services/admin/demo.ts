import type { Network } from '#domain/network.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { AdminCaller } from './router.ts';

/** What is remembered of the demo Workspace between starts. Holds a key: keep it as one. */
export interface DemoMemory {
  readonly workspaceId: string;
  readonly memberId: string;
  readonly keyId: string;
  readonly apiKey: string;
  readonly credited: boolean;
  readonly keyed: boolean;
  /** By Network. One that its owner disconnected stays, and is not made again. */
  readonly channels: Readonly<Partial<Record<Network, string>>>;
}

/** Where it is remembered. `save` replaces it whole and has it durable when it resolves. */
export interface DemoFile {
  load(): Promise<DemoMemory | null>;
  save(memory: DemoMemory): Promise<void>;
}

/** As the ready file shows it. */
export type Demo = Pick<DemoMemory, 'workspaceId' | 'memberId' | 'apiKey' | 'channels'>;

export interface DemoOptions {
  readonly caller: AdminCaller;
  /** Those there is a sandbox of. */
  readonly networks: readonly Network[];
  readonly file: DemoFile;
  readonly ids: Ids;
  readonly clock: Pick<Clock, 'now'>;
}

const WORKSPACE = {
  name: 'Demo',
  ownerEmail: 'demo@example.test',
  ownerName: 'Demo owner',
  plan: 'agency',
  emailVerified: true,
} as const;
const CREDITS = 1_000;

/**
 * The demo Workspace, made at the first start and completed at any later one. Its ids are chosen and remembered before
 * anything is made, and each step looks at what is there: a crash between any two leaves neither two of a thing nor one
 * that nobody knows of. Rejects with what the procedures throw; then call it again.
 */
export async function ensureDemo({ caller, networks, file, ids, clock }: DemoOptions): Promise<Demo> {
  const remembered = await file.load();
  let memory = remembered ?? newMemory(ids, clock.now());
  const remember = async (more: Partial<DemoMemory>): Promise<void> => {
    memory = { ...memory, ...more };
    await file.save(memory);
  };
  if (isComplete(memory, networks)) return shown(memory);
  if (remembered === null) await remember({});

  const { workspaceId, memberId, keyId, apiKey } = memory;
  // Done at once when it is there. It passes through the Workspace's mailbox behind whatever an earlier start left in
  // it, so that what is read next is how that ended.
  await caller.workspaces.create({ ...WORKSPACE, workspaceId, memberId });
  const workspace = await caller.workspaces.get({ workspaceId });
  if (!memory.credited) {
    const missing = CREDITS - workspace.xCredits.available - workspace.xCredits.reserved;
    if (missing > 0) await caller.workspaces.addCredits({ workspaceId, credits: missing });
    await remember({ credited: true });
  }
  if (!memory.keyed) {
    if (!workspace.keys.some((key) => key.keyId === keyId))
      await caller.keys.create({
        workspaceId,
        memberId,
        name: 'Demo key',
        permissions: [...PERMISSIONS],
        keyId,
        apiKey,
      });
    await remember({ keyed: true });
  }
  for (const network of networks) {
    if (memory.channels[network] !== undefined) continue;
    const there = workspace.channels.find(
      (channel) => channel.network === network && channel.state !== 'not_connected',
    );
    const { channelId } =
      there ?? (await caller.channels.connectSandbox({ workspaceId, network, name: `Demo ${network}` }));
    await remember({ channels: { ...memory.channels, [network]: channelId } });
  }
  return shown(memory);
}

function newMemory(ids: Ids, now: number): DemoMemory {
  return {
    workspaceId: ids.uuid7(now),
    memberId: ids.uuid7(now),
    keyId: ids.uuid7(now),
    apiKey: `crier_${ids.token()}`,
    credited: false,
    keyed: false,
    channels: {},
  };
}

function isComplete({ credited, keyed, channels }: DemoMemory, networks: readonly Network[]): boolean {
  return credited && keyed && networks.every((network) => channels[network] !== undefined);
}

function shown({ workspaceId, memberId, apiKey, channels }: DemoMemory): Demo {
  return { workspaceId, memberId, apiKey, channels };
}
