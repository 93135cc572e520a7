import { buildPeerHome, type CrierHome } from './crier-home.ts';
import { fillBacklog } from '../../backlog.ts';
import type { CrierServer, Settings } from '../../crier-server.ts';
import type { EngineName } from '../../flags.ts';
import { openSite } from '../../installation.ts';
import { alive } from '#testing/engines/cache-folder.ts';
import type { JvmProfile } from '#testing/engines/jvm.ts';
import { until } from '#testing/until.ts';
import type { ApiHome, RunningPeer, StartPeer } from '../peer.ts';
import { HOOKS_HOST } from '../sink/start-sink.ts';

const DAY_MS = 86_400_000;

/**
 * Crier in one process, over its own engine or over one Kafka and one Cassandra, of which every write is on disk before
 * its answer, as the peers' are. Its sandbox takes no part: the sink stands for X.
 */
export function crierPeer(engine: EngineName, jvm: JvmProfile): StartPeer {
  return async ({ sink, authorityFile, defer }): Promise<RunningPeer> => {
    const site = await openSite(engine, { writes: 'flushed', jvm, profile: null });
    defer(() => site.close());
    const installation = await site.install('peers');
    const settings: Settings = {
      CRIER_SANDBOX_URL: sink.url,
      CRIER_EGRESS_OVERRIDES: `${HOOKS_HOST}=127.0.0.1:${sink.hooksPort}`,
      NODE_EXTRA_CA_CERTS: authorityFile,
    };
    let server: CrierServer = await installation.start(settings);
    defer(() => server.stop());
    const homes = new Map<ApiHome, CrierHome>();
    const openHome = async (channels: number): Promise<ApiHome> => {
      const home = await buildPeerHome(() => server, homes.size + 1, channels);
      homes.set(home, home);
      return home;
    };
    return {
      durability: site.durability,
      jvm: site.jvm,
      api: {
        url: () => server.baseUrl,
        openHome,
        // Embedded, a database belongs to one process at a time.
        fill: async (home, posts) => {
          await server.stop();
          const opened = await installation.open();
          const now = Date.now();
          await fillBacklog(opened, {
            workspaceIds: [homes.get(home)!.workspaceId],
            posts,
            writtenFrom: now - DAY_MS,
            writtenUntil: now,
            dueFrom: now + DAY_MS,
            dueUntil: now + 31 * DAY_MS,
          });
          await opened.close();
          server = await installation.start(settings);
        },
      },
      pids: () => [server.pid, ...Object.values(site.pids)].filter(alive),
      openHome,
      kill: async () => {
        process.kill(server.pid, 'SIGKILL');
        await until(() => !alive(server.pid), { what: 'the end of the killed process' });
      },
      restart: async () => {
        server = await installation.start(settings);
      },
    };
  };
}
