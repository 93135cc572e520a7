import { setTimeout as sleep } from 'node:timers/promises';
import type { PlanName } from '#domain/plan/plan.ts';
import { appToken } from '../app-token.ts';
import type { CrierServer } from '../crier-server.ts';
import { buildPopulation, ownerOf } from '../population.ts';

const POLL_MS = 10;
const WITHIN_MS = 60_000;
/** So many that none of them meets the limit of requests. */
const CALLING_KEYS = 240;
const LATER_MS = 86_400_000;

/** A Workspace with keys and Channels of x of its own. */
export interface Tenant {
  readonly workspaceId: string;
  readonly ownerEmail: string;
  /** Those that an attack uses up. */
  readonly keys: readonly string[];
  readonly channelIds: readonly string[];
  /** The `data` of an answer to one of its other keys in turn. Rejects for any answer but success. */
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<any>;
  /** Reserves an upload and sends it; resolves with the asset's id. */
  send(content: Uint8Array, contentType: string): Promise<string>;
  /** Creates a Post that is due a day later; resolves once the files of all its Variants are ready. */
  readied(post: object): Promise<void>;
  /** As many as asked for, each of an app that the owner approves. They are good for a quarter of an hour. */
  appTokens(count: number): Promise<readonly string[]>;
}

export interface TenantPlan {
  /** From 1, for its name and the addresses of its Channels. */
  readonly number: number;
  /** The number of its owner; left out: it is the tenant's. */
  readonly owner?: number;
  /** Left out: agency. */
  readonly plan?: PlanName;
  readonly keys: number;
  readonly channels: number;
}

export async function createTenant(server: CrierServer, tenant: TenantPlan): Promise<Tenant> {
  const { number, owner = number, plan = 'agency', keys, channels } = tenant;
  const { admin, baseUrl } = server;
  const ownerEmail = ownerOf(owner);
  const { workspaceId, memberId } = await admin.workspaces.create.mutate({
    name: `Tenant ${number}`,
    ownerEmail,
    plan,
  });
  await admin.workspaces.addCredits.mutate({ workspaceId, credits: 1_000_000_000 });
  const [channelIds, apiKeys]: [string[], string[]] = [[], []];
  for (let index = 0; index < channels; index++)
    channelIds.push(
      (await admin.channels.connectSandbox.mutate({ workspaceId, network: 'x', name: `t${number}_${index}` }))
        .channelId,
    );
  for (let index = 0; index < keys + CALLING_KEYS; index++)
    apiKeys.push(
      (
        await admin.keys.create.mutate({
          ...{ workspaceId, memberId, name: `Key ${index}` },
          permissions: ['posts:schedule', 'posts:publish', 'webhooks:manage'],
        })
      ).apiKey,
    );
  let calls = 0;
  const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<any> => {
    const headers = {
      authorization: `Bearer ${apiKeys[calls++ % CALLING_KEYS]}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await fetch(baseUrl + path, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text).data;
  };
  const send = async (content: Uint8Array, contentType: string): Promise<string> => {
    const reserved = { filename: 'a file', contentType, bytes: content.length };
    const { assetId, uploadUrl } = await call('POST', '/api/media', reserved);
    const body = new Uint8Array(content);
    const sent = await fetch(uploadUrl, { method: 'PUT', headers: { 'content-type': contentType }, body });
    if (sent.status !== 204) throw new Error(`an upload was answered ${sent.status}: ${await sent.text()}`);
    return assetId;
  };
  const readied = async (post: object): Promise<void> => {
    const scheduledAt = new Date(Date.now() + LATER_MS).toISOString();
    const { id } = await call('POST', '/api/posts', { ...post, scheduledAt });
    await reached(
      () => call('GET', `/api/posts/${id}`),
      ({ variants }) => variants.every(({ mediaReady }: { readonly mediaReady: boolean }) => mediaReady),
    );
  };
  const appTokens = async (count: number): Promise<readonly string[]> => {
    const tokens: string[] = [];
    for (let index = 0; index < count; index++) tokens.push(await appToken(server, { number: owner, workspaceId }));
    return tokens;
  };
  return { workspaceId, ownerEmail, keys: apiKeys.slice(CALLING_KEYS), channelIds, appTokens, call, send, readied };
}

/** Reads again and again until what was read is as it should be. Rejects past a deadline. */
export async function reached<T>(read: () => Promise<T>, isReached: (value: T) => boolean): Promise<void> {
  const giveUpAt = performance.now() + WITHIN_MS;
  for (;;) {
    const value = await read();
    if (isReached(value)) return;
    if (performance.now() > giveUpAt) throw new Error(`not reached within ${WITHIN_MS} ms: ${JSON.stringify(value)}`);
    await sleep(POLL_MS);
  }
}

/** The sandbox without limits and waits. */
export async function freeNetworks(server: CrierServer): Promise<void> {
  await buildPopulation(server, { workspaces: 0, channelsAWorkspace: 0, keysAWorkspace: 0 });
}
