import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import type { CrierServer } from '../crier-server.ts';
import type { Sizes } from '../sizes.ts';
import type { AttackJob } from './attack-job.ts';
import type { TenantHosts } from './hosts.ts';
import { reached, type Tenant } from './tenant.ts';

/** Two tenants of one server, and what they name. */
export interface Scene {
  readonly server: CrierServer;
  readonly victim: Tenant;
  readonly attacker: Tenant;
  readonly hosts: TenantHosts;
  /** A picture that is costly to read and to convert. */
  readonly picture: string;
  readonly sizes: Sizes;
}

export interface Duel {
  /** One ordinary thing of the victim, with the milliseconds that count of it. */
  readonly victim: (index: number) => Promise<number>;
  readonly attack: AttackJob;
}

export interface AttackedPool {
  readonly pool: string;
  readonly attack: string;
  /** What the victim does, so many times a second. */
  readonly ordinary: string;
  readonly aSecond: number;
  /** A gauge of what the attack holds, with labels. */
  readonly held: readonly [metric: string, labels: string];
  readonly begin: (scene: Scene) => Promise<Duel>;
}

const REVISION = '2026-07-28';
const FULL_TEXT = 'A sentence that a person may have written. '.repeat(2_000).slice(0, 80_000);
const LARGE_FILE = 32_000_000;
const DAY_MS = 86_400_000;
const ARRIVES_WITHIN_MS = 60_000;
const { photo } = MEDIA_FIXTURES;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const inPool = (pool: string): AttackedPool['held'] => ['crier_pool_permits', `pool="${pool}",state="held"`];

type RequestsOf = Omit<Extract<AttackJob, { kind: 'requests' }>, 'kind' | 'url' | 'keys' | 'aSecond'>;

/** As many requests as the limit of its keys allows. */
function requests({ server, attacker }: Scene, job: RequestsOf): AttackJob {
  const { keys } = attacker;
  return { kind: 'requests', url: server.baseUrl, keys, aSecond: keys.length, ...job };
}

function toolCall(tool: string, args: object) {
  const params = {
    name: tool,
    arguments: args,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}

async function completed(tenant: Tenant, content: Uint8Array, contentType: string): Promise<string> {
  const assetId = await tenant.send(content, contentType);
  await tenant.call('POST', `/api/media/${assetId}/complete`);
  return assetId;
}

/** So many Posts that are due far in the future. */
async function filled(tenant: Tenant, count: number, channels: number): Promise<void> {
  const postsAtOnce = 50;
  for (let from = 0; from < count; from += postsAtOnce) {
    const posts = Array.from({ length: Math.min(postsAtOnce, count - from) }, (_, index) => ({
      text: `${from + index} ${FULL_TEXT.slice(0, 200)}`,
      channelIds: tenant.channelIds.slice(0, channels),
      scheduledAt: new Date(Date.now() + DAY_MS + 60_000 * (from + index)).toISOString(),
    }));
    await tenant.call('POST', '/api/posts/bulk', { posts });
  }
}

const UPLOADS: AttackedPool = {
  pool: 'uploads',
  attack: '64 files sent as slowly as is borne',
  ordinary: 'reserving and sending a picture',
  aSecond: 5,
  held: inPool('uploads'),
  begin: async ({ victim, attacker, server }) => ({
    victim: () => timed(() => victim.send(photo.bytes, photo.contentType)),
    attack: { kind: 'slow uploads', url: server.baseUrl, keys: attacker.keys, atOnce: 64 },
  }),
};

const MEDIA_READS: AttackedPool = {
  pool: 'media reads',
  attack: '300 connections from 16 addresses that ask for a large file and read nothing',
  ordinary: 'reading a picture by its public address',
  aSecond: 5,
  held: inPool('media-reads'),
  begin: async ({ victim, attacker }) => {
    const fileOf = async (tenant: Tenant, bytes: Uint8Array, contentType: string): Promise<string> => {
      const assetId = await completed(tenant, bytes, contentType);
      const post = { text: 'A file', channelIds: tenant.channelIds.slice(0, 1), media: [{ assetId }] };
      const { id } = await tenant.call('POST', '/api/posts', { ...post, scheduledAt: later() });
      return (await tenant.call('GET', `/api/posts/${id}`)).media[0].url;
    };
    const [file, large] = [
      await fileOf(victim, photo.bytes, photo.contentType),
      await fileOf(attacker, padded(photo.bytes), photo.contentType),
    ];
    const read = async (): Promise<void> => {
      const answer = await fetch(file);
      if (answer.status !== 200) throw new Error(`a file was answered ${answer.status}`);
      await answer.arrayBuffer();
    };
    return {
      victim: () => timed(read),
      attack: { kind: 'slow readers', file: large, atOnce: 300, clients: 16 },
    };
  },
};

function later(): string {
  return new Date(Date.now() + DAY_MS).toISOString();
}

/** A picture with so much behind its end that kernels can not keep it for a connection. */
function padded(bytes: Uint8Array): Uint8Array {
  const large = new Uint8Array(LARGE_FILE);
  large.set(bytes);
  return large;
}

const INSPECTIONS: AttackedPool = {
  pool: 'inspections',
  attack: 'validated Posts that name silent hosts',
  ordinary: 'validating a Post with a picture by address',
  aSecond: 2,
  held: inPool('inspections'),
  begin: async (scene) => {
    const { victim, attacker, hosts } = scene;
    const url = hosts.urlOf('photo', 0, '/a.jpg');
    const silent = Array.from({ length: 4 }, (_, index) => ({
      url: hosts.urlOf('silent', index, `/{n}/${index}.jpg`),
    }));
    const post = (tenant: Tenant, media: readonly object[]) => ({
      text: 'With files',
      channelIds: tenant.channelIds.slice(0, 1),
      media,
    });
    return {
      victim: () => timed(() => victim.call('POST', '/api/posts/validate', post(victim, [{ url }]))),
      attack: requests(scene, {
        method: 'POST',
        path: '/api/posts/validate',
        body: JSON.stringify(post(attacker, silent)),
      }),
    };
  },
};

const FETCHES: AttackedPool = {
  pool: 'fetches',
  attack: 'Posts that name hosts which send as slowly as is borne',
  ordinary: 'a Post with a picture by address, until it is ready',
  aSecond: 2,
  held: inPool('fetches'),
  begin: async (scene) => {
    const { victim, attacker, hosts } = scene;
    const slow = { url: hosts.urlOf('slow', 1, '/{n}.jpg') };
    const post = (tenant: Tenant, text: string, file: object) => ({
      ...{ text, channelIds: tenant.channelIds.slice(0, 1), media: [file] },
    });
    return {
      victim: (index) =>
        timed(() => victim.readied(post(victim, `fetched ${index}`, { url: hosts.urlOf('photo', index, '/a.jpg') }))),
      attack: requests(scene, {
        method: 'POST',
        path: '/api/posts',
        body: JSON.stringify({ ...post(attacker, 'attack {n}', slow), scheduledAt: later() }),
      }),
    };
  },
};

const CONVERSIONS: AttackedPool = {
  pool: 'conversions',
  attack: '16 large pictures at once, uploaded and put into Posts',
  ordinary: 'a Post with an uploaded picture, until it is ready',
  aSecond: 0.5,
  held: inPool('conversions'),
  begin: async ({ victim, attacker, server, picture }) => ({
    victim: async (index) => {
      const assetId = await completed(victim, photo.bytes, photo.contentType);
      const post = { text: `converted ${index}`, channelIds: victim.channelIds.slice(0, 1), media: [{ assetId }] };
      return timed(() => victim.readied(post));
    },
    attack: {
      ...{ kind: 'files', url: server.baseUrl, keys: attacker.keys, atOnce: 16, path: picture },
      ...{ contentType: 'image/jpeg', channelIds: attacker.channelIds.slice(0, 1) },
    },
  }),
};

const JUDGING: AttackedPool = {
  pool: 'judging',
  attack: '20 large pictures at once, uploaded and completed',
  ordinary: 'completing the upload of a picture',
  aSecond: 0.5,
  held: inPool('judging'),
  begin: async ({ victim, attacker, server, picture }) => ({
    victim: async () => {
      const assetId = await victim.send(photo.bytes, photo.contentType);
      return timed(() => victim.call('POST', `/api/media/${assetId}/complete`));
    },
    attack: {
      ...{ kind: 'files', url: server.baseUrl, keys: attacker.keys, atOnce: 20, path: picture },
      ...{ contentType: 'image/jpeg', channelIds: [] },
    },
  }),
};

const LISTS: AttackedPool = {
  pool: 'lists',
  attack: 'pages of 500 Posts to ten Channels',
  ordinary: 'a page of 20 Posts',
  aSecond: 5,
  held: inPool('lists'),
  begin: async (scene) => {
    const { victim, attacker, sizes } = scene;
    await filled(victim, 20, 2);
    await filled(attacker, sizes.fairnessPosts, 10);
    return {
      victim: () => timed(() => victim.call('GET', '/api/posts?limit=20')),
      attack: requests(scene, { method: 'GET', path: '/api/posts?limit=500' }),
    };
  },
};

const BULKS: AttackedPool = {
  pool: 'bulks',
  attack: 'dry runs of 10 Posts of 80,000 characters to every Channel',
  ordinary: 'a bulk of five Posts',
  aSecond: 2,
  held: inPool('bulks'),
  begin: async (scene) => {
    const { victim, attacker } = scene;
    const posts = Array.from({ length: 10 }, (_, index) => ({
      text: `${index} ${FULL_TEXT}`,
      channelIds: attacker.channelIds,
    }));
    const ordinary = (index: number) => ({
      posts: Array.from({ length: 5 }, (_, number) => ({
        text: `bulk ${index}.${number}`,
        channelIds: victim.channelIds.slice(0, 1),
        scheduledAt: later(),
      })),
    });
    return {
      victim: (index) => timed(() => victim.call('POST', '/api/posts/bulk', ordinary(index))),
      attack: requests(scene, { method: 'POST', path: '/api/posts/bulk?dryRun=true', body: JSON.stringify({ posts }) }),
    };
  },
};

const VALIDATIONS: AttackedPool = {
  pool: 'validations',
  attack: 'Posts of 80,000 characters to every Channel, validated',
  ordinary: 'validating a short Post',
  aSecond: 5,
  held: inPool('validations'),
  begin: async (scene) => {
    const { victim, attacker } = scene;
    const short = { text: 'A short Post', channelIds: victim.channelIds.slice(0, 1) };
    return {
      victim: () => timed(() => victim.call('POST', '/api/posts/validate', short)),
      attack: requests(scene, {
        method: 'POST',
        path: '/api/posts/validate',
        body: JSON.stringify({ text: FULL_TEXT, channelIds: attacker.channelIds }),
      }),
    };
  },
};

const TOOL_CALLS: AttackedPool = {
  pool: 'tool calls',
  attack: 'pages of 100 Posts to ten Channels, asked for by three apps',
  ordinary: 'list_channels of an app',
  aSecond: 2,
  held: inPool('tool-calls'),
  begin: async (scene) => {
    const { victim, attacker, server, sizes } = scene;
    await filled(attacker, sizes.fairnessPosts, 10);
    const list = toolCall('list_posts', { limit: 100 });
    const channels = toolCall('list_channels', {});
    const ask = async (index: number): Promise<void> => {
      const token = victim.appTokens[index % victim.appTokens.length]!;
      const headers = { ...channels.headers, authorization: `Bearer ${token}` };
      const answer = await fetch(`${server.baseUrl}/mcp`, { method: 'POST', headers, body: channels.body });
      const text = await answer.text();
      if (answer.status !== 200 || text.includes('"isError":true'))
        throw new Error(`list_channels was answered ${answer.status}: ${text}`);
    };
    return {
      victim: (index) => timed(() => ask(index)),
      attack: {
        ...requests(scene, { method: 'POST', path: '/mcp', ...list }),
        keys: attacker.appTokens,
        aSecond: attacker.appTokens.length,
      },
    } as Duel;
  },
};

const DELIVERIES: AttackedPool = {
  pool: 'webhook deliveries',
  attack: 'four Posts a second to ten Channels, heard by ten endpoints that answer after 8 s',
  ordinary: 'a test event, until it arrives',
  aSecond: 2,
  held: ['crier_webhook_attempts_in_flight', ''],
  begin: async (scene) => {
    const { victim, attacker, hosts } = scene;
    const events = ['variant.published'];
    const { id } = await victim.call('POST', '/api/webhooks', { url: hosts.urlOf('hook', 0), events });
    for (let index = 0; index < 10; index++)
      await attacker.call('POST', '/api/webhooks', { url: hosts.urlOf('late', index), events });
    return {
      victim: () =>
        timed(async () => {
          const { eventId } = await victim.call('POST', `/api/webhooks/${id}/test`);
          await hosts.arrived(eventId, ARRIVES_WITHIN_MS);
        }),
      attack: { ...requests(scene, now(attacker.channelIds.slice(0, 10))), aSecond: 4 } as AttackJob,
    };
  },
};

function now(channelIds: readonly string[]): RequestsOf {
  return { method: 'POST', path: '/api/posts', body: JSON.stringify({ text: 'attack {n}', channelIds }) };
}

const PUBLISHING: AttackedPool = {
  pool: 'publishing',
  attack: 'a Post to all Channels of the Workspace at once, every two seconds',
  ordinary: 'a Post to one Channel, until it is published',
  aSecond: 2,
  held: ['crier_publish_in_flight', 'network="x"'],
  begin: async (scene) => {
    const { victim, attacker } = scene;
    const publish = async (index: number): Promise<void> => {
      const post = { text: `ordinary ${index}`, channelIds: [victim.channelIds[index % victim.channelIds.length]] };
      const { id } = await victim.call('POST', '/api/posts', post);
      await reached(
        () => victim.call('GET', `/api/posts/${id}`),
        ({ variants }) => variants.every(({ status }: { readonly status: string }) => status === 'published'),
      );
    };
    return {
      victim: (index) => timed(() => publish(index)),
      attack: { ...requests(scene, now(attacker.channelIds)), aSecond: 0.5 } as AttackJob,
    };
  },
};

export const ATTACKED_POOLS: readonly AttackedPool[] = [
  ...[UPLOADS, MEDIA_READS, JUDGING, INSPECTIONS, FETCHES, CONVERSIONS],
  ...[LISTS, BULKS, VALIDATIONS, TOOL_CALLS, DELIVERIES, PUBLISHING],
];
