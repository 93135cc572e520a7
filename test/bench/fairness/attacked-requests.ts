import { PLAN_LIMITS } from '#domain/plan/plan.ts';
import { inPool, later, requests, timed, type AttackedPool } from './duel.ts';
import { createTenant, type Tenant } from './tenant.ts';

// Pools of costly work that requests wait for.

const REVISION = '2026-07-28';
const FULL_TEXT = 'A sentence that a person may have written. '.repeat(2_000).slice(0, 80_000);
const DAY_MS = 86_400_000;

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

export const LISTS: AttackedPool = {
  pool: 'lists',
  attack: 'pages of 500 Posts to ten Channels',
  ordinary: 'a page of 20 Posts',
  aSecond: 20,
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

/** So many that, as eight owners, they could have all permits of the pool. */
const FREE_WORKSPACES = 8;
const FREE_KEYS = 8;
const { channels: FREE_CHANNELS, postsPerMonth: FREE_POSTS } = PLAN_LIMITS.free;

export const ONE_OWNER: AttackedPool = {
  pool: 'lists of one owner',
  attack: `pages of all ${FREE_POSTS} Posts to ${FREE_CHANNELS} Channels`,
  attacker: `the owner of ${FREE_WORKSPACES} Workspaces of the Plan free with ${FREE_KEYS} keys each`,
  ordinary: 'a page of 20 Posts of a Workspace of the Plan free',
  aSecond: 20,
  held: inPool('lists'),
  begin: async (scene) => {
    const { server, sizes } = scene;
    const free = { plan: 'free', channels: FREE_CHANNELS } as const;
    const victim = await createTenant(server, { ...free, number: 3, keys: 0 });
    await filled(victim, 20, 2);
    const keys: string[][] = [];
    for (let number = 0; number < FREE_WORKSPACES; number++) {
      const tenant = await createTenant(server, { ...free, number: 4 + number, owner: 4, keys: FREE_KEYS });
      await filled(tenant, Math.min(FREE_POSTS, sizes.fairnessPosts), FREE_CHANNELS);
      keys.push([...tenant.keys]);
    }
    // One of each Workspace after the other.
    const inTurn = Array.from({ length: FREE_KEYS }, (_, index) => keys.map((each) => each[index]!)).flat();
    return {
      victim: () => timed(() => victim.call('GET', '/api/posts?limit=20')),
      attack: requests(scene, { method: 'GET', path: '/api/posts?limit=500', keys: inTurn }),
    };
  },
};

export const BODIES: AttackedPool = {
  pool: 'bodies',
  attack: '48 bodies of 900 KB sent as slowly as is borne',
  ordinary: 'a bulk of 100 Posts, which is a large body',
  aSecond: 3,
  held: inPool('bodies'),
  begin: async ({ victim, attacker, server }) => {
    const ordinary = (index: number) => ({
      posts: Array.from({ length: 100 }, (_, number) => ({
        text: `body ${index}.${number} ${FULL_TEXT.slice(0, 250)}`,
        channelIds: victim.channelIds.slice(0, 1),
        scheduledAt: later(),
      })),
    });
    return {
      victim: (index) => timed(() => victim.call('POST', '/api/posts/bulk', ordinary(index))),
      attack: {
        ...{ kind: 'slow bodies', url: server.baseUrl, keys: attacker.keys },
        ...{ path: '/api/posts/bulk?dryRun=true', atOnce: 48 },
      },
    };
  },
};

export const BULKS: AttackedPool = {
  pool: 'bulks',
  attack: 'dry runs of 10 Posts of 80,000 characters to every Channel',
  ordinary: 'a bulk of five Posts',
  aSecond: 10,
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

export const VALIDATIONS: AttackedPool = {
  pool: 'validations',
  attack: 'Posts of 80,000 characters to every Channel, validated',
  ordinary: 'validating a short Post',
  aSecond: 20,
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

const APPS = 3;

export const TOOL_CALLS: AttackedPool = {
  pool: 'tool calls',
  attack: `pages of 100 Posts to ten Channels, asked for by ${APPS} apps`,
  ordinary: 'list_channels of an app',
  aSecond: 2.5,
  held: inPool('tool-calls'),
  begin: async (scene) => {
    const { victim, attacker, server, sizes } = scene;
    await filled(attacker, sizes.fairnessPosts, 10);
    const list = toolCall('list_posts', { limit: 100 });
    const channels = toolCall('list_channels', {});
    const [own, attacking] = [await victim.appTokens(APPS), await attacker.appTokens(APPS)];
    const ask = async (index: number): Promise<void> => {
      const token = own[index % APPS]!;
      const headers = { ...channels.headers, authorization: `Bearer ${token}` };
      const answer = await fetch(`${server.baseUrl}/mcp`, { method: 'POST', headers, body: channels.body });
      const text = await answer.text();
      if (answer.status !== 200 || text.includes('"isError":true'))
        throw new Error(`list_channels was answered ${answer.status}: ${text}`);
    };
    return {
      victim: (index) => timed(() => ask(index)),
      attack: requests(scene, { method: 'POST', path: '/mcp', ...list, keys: attacking }),
    };
  },
};
