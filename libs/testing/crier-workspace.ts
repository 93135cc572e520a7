import type { Network } from '#domain/network.ts';
import type { CrierUnderTest } from './crier-process.ts';
import { until } from './until.ts';

export interface NewWorkspaceOptions {
  readonly plan?: 'free' | 'pro' | 'agency';
  readonly credits?: number;
  readonly emailVerified?: boolean;
  /** Permissions of the key, beside posts:schedule. */
  readonly permissions?: readonly string[];
}

/** A Workspace with one Member, a key, and a Channel on x and on threads. */
export interface TestWorkspace {
  readonly workspaceId: string;
  readonly memberId: string;
  readonly keyId: string;
  readonly apiKey: string;
  readonly channels: Readonly<Record<'x' | 'threads', string>>;
  readonly accounts: Readonly<Record<'x' | 'threads', string>>;
}

export async function foundWorkspace(
  crier: CrierUnderTest,
  name: string,
  options: NewWorkspaceOptions = {},
): Promise<TestWorkspace> {
  const {
    plan = 'agency',
    credits = 1_000,
    emailVerified = true,
    permissions = ['posts:publish', 'webhooks:manage'],
  } = options;
  const admin = crier.admin();
  // The first commands of a process that has just joined its groups may exceed their deadline on a busy machine. A
  // Workspace that was made all the same stays empty.
  const { workspaceId, memberId } = await until(
    () =>
      admin.call('workspaces.create', {
        name,
        ownerEmail: `${name.replaceAll(' ', '-')}@example.test`,
        ownerName: name,
        plan,
        emailVerified,
      }),
    {
      what: `${name} made`,
      withinMs: 180_000,
    },
  );
  if (credits > 0) await admin.call('workspaces.addCredits', { workspaceId, credits });
  const { keyId, apiKey } = await admin.call('keys.create', {
    workspaceId,
    memberId,
    name: `${name}'s key`,
    permissions,
  });
  const connect = (network: Network): Promise<{ channelId: string; accountId: string }> =>
    admin.call('channels.connectSandbox', { workspaceId, network, name: `${name} on ${network}` });
  const [x, threads] = [await connect('x'), await connect('threads')];
  return {
    workspaceId,
    memberId,
    keyId,
    apiKey,
    channels: { x: x.channelId, threads: threads.channelId },
    accounts: { x: x.accountId, threads: threads.accountId },
  };
}
