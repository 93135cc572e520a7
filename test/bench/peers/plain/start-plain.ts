import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startProgram, type ChildProgram } from '../child-program.ts';
import { openPool, type Pool } from '../engines/postgres-pool.ts';
import { POSTGRES_DURABILITY, startPostgres } from '../engines/postgres.ts';
import type { PeerPrograms } from '../engines/programs.ts';
import { REDIS_DURABILITY, startRedis } from '../engines/redis.ts';
import type { ApiHome, RunningPeer, StartPeer } from '../peer.ts';
import { createPosts, homeState } from '../rest-client.ts';
import { fillPlain } from './backlog.ts';
import { DATABASE, REDIS_PORT, SINK } from './environment.ts';
import { createIds } from './ids.ts';
import { digestOf } from './keys.ts';
import { TABLES } from './tables.ts';

interface PlainHome extends ApiHome {
  readonly workspaceId: string;
}

/** Express, PostgreSQL and BullMQ: what a team would write in a week. */
export function plainPeer(programs: PeerPrograms): StartPeer {
  return async ({ folder, sink, defer }): Promise<RunningPeer> => {
    const postgres = await startPostgres(folder, programs);
    defer(postgres.stop);
    const redis = await startRedis(folder, programs);
    defer(redis.stop);
    const pool = await openPool(postgres.url, 2);
    defer(() => pool.end());
    await pool.query({ text: TABLES });
    const env = { [DATABASE]: postgres.url, [REDIS_PORT]: `${redis.port}`, [SINK]: sink.url };
    const start = async (role: 'api' | 'worker'): Promise<ChildProgram> => {
      const script = join(import.meta.dirname, `${role}.ts`);
      const program = await startProgram({ name: `plain-${role}`, folder, script, env });
      defer(program.stop);
      return program;
    };
    const [api, worker] = [await start('api'), await start('worker')];
    const homes = new Map<ApiHome, PlainHome>();
    const openHome = async (channels: number): Promise<ApiHome> => {
      const home = await createHome(pool, { channels, hooksUrl: sink.hooksUrl, url: api.url });
      homes.set(home, home);
      return home;
    };
    return {
      durability: `${POSTGRES_DURABILITY}; ${REDIS_DURABILITY}`,
      jvm: null,
      api: {
        url: () => api.url,
        openHome,
        fill: (home, posts) => fillPlain(pool, redis.port, { ...homes.get(home)!, posts }),
      },
      pids: () => [postgres, redis, api, worker].map((each) => each.pid()).filter((pid) => pid !== null),
      openHome,
      kill: () => worker.kill(),
      restart: () => worker.restart(),
    };
  };
}

interface HomeOptions {
  readonly channels: number;
  readonly hooksUrl: string;
  readonly url: string;
}

async function createHome(pool: Pool, { channels, hooksUrl, url }: HomeOptions): Promise<PlainHome> {
  const [workspaceId, endpointId, ...channelIds] = createIds(Date.now(), channels + 2) as [string, string, ...string[]];
  const key = `key_${randomBytes(24).toString('base64url')}`;
  const accounts = channelIds.map((id) => `account ${id}`);
  const insert = (text: string, ...values: readonly unknown[]) => pool.query({ text, values });
  await insert('INSERT INTO workspaces VALUES ($1, $2)', workspaceId, 'Bench');
  await insert('INSERT INTO api_keys VALUES ($1, $2, $3)', digestOf(key), workspaceId, 'Key 1');
  const secret = randomBytes(24).toString('base64url');
  await insert('INSERT INTO endpoints VALUES ($1, $2, $3, $4)', endpointId, workspaceId, hooksUrl, secret);
  await insert(
    `INSERT INTO channels (id, workspace_id, network, name, account)
      SELECT id, $1, 'x', account, account FROM unnest($2::uuid[], $3::text[]) AS one (id, account)`,
    ...[workspaceId, channelIds, accounts],
  );
  const address = { url, key, channelIds, accounts };
  return {
    ...address,
    workspaceId,
    schedule: (posts) => createPosts(address, posts),
    state: () => homeState(address),
  };
}
