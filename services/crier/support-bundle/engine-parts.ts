import { readKeyspaceFacts } from '#adapters/cassandra/keyspace-facts.ts';
import type { Config } from '#config/config.ts';
import type { LogPositions } from '#ports/log-positions.ts';
import type { TableStore } from '#ports/table-store.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { readAnnouncedProcesses } from '#tables/repositories/announced-processes.ts';
import { readSchemaVersion } from '#tables/repositories/installation.ts';
import { listProcesses } from '#tables/repositories/processes.ts';
import { readHolds } from '#tables/repositories/publishing-holds.ts';
import { readRestoring } from '#tables/repositories/restoring.ts';
import { readStoredFormat } from '#tables/repositories/written-formats.ts';
import { withClusterStores } from '../cluster-backup/back-up-cluster.ts';
import { cassandraOf } from '../engines/cluster.ts';
import type { BundlePart } from './bundle-part.ts';

const DEADLINE_MS = 20_000;
/** Of one process: the others are not to wait for one that is gone. */
const PROCESS_DEADLINE_MS = 5_000;

/** What a cluster's engines say, whether a process of ours runs or not. */
export function engineParts(
  config: Config,
  get: (url: string, init?: object) => Promise<Response>,
): readonly BundlePart[] {
  const part = (
    file: string,
    ask: (store: TableStore, positions: LogPositions, signal: AbortSignal) => Promise<unknown>,
  ) => ({
    file,
    deadlineMs: DEADLINE_MS,
    gather: (signal: AbortSignal) => withClusterStores(config, (store, positions) => ask(store, positions, signal)),
  });
  return [
    {
      file: 'cassandra.json',
      deadlineMs: DEADLINE_MS,
      gather: () => readKeyspaceFacts(cassandraOf(config), config.cassandraKeyspace),
    },
    part('stored.json', async (store) => ({
      schemaVersion: await readSchemaVersion(store),
      format: await readStoredFormat(store),
      restoring: await readRestoring(store),
      held: (await readHolds(store)).holds.map(({ network, workspaceId, holder, since }) => ({
        ...{ network, workspaceId, holder, since },
      })),
      processes: await listProcesses(store),
      announced: await readAnnouncedProcesses(store),
    })),
    part('kafka.json', async (_store, positions) => ({
      version: 'Kafka does not tell clients its version.',
      extents: await positions.extents(TOPICS),
      groups: await positions.groups(TOPICS),
    })),
    part('processes.txt', async (store, _positions, signal) => {
      const addresses = [...new Set((await readAnnouncedProcesses(store)).map(({ address }) => address))];
      const pages = addresses.flatMap((address) => [`${address}/health/ready`, `${address}/metrics`]);
      const texts = pages.map(async (url) => {
        const ending = AbortSignal.any([signal, AbortSignal.timeout(PROCESS_DEADLINE_MS)]);
        const text = await get(url, { signal: ending }).then(
          (answer) => answer.text(),
          (error: unknown) => `does not answer: ${String(error)}`,
        );
        return `==== ${url}\n${text}\n`;
      });
      return (await Promise.all(texts)).join('\n');
    }),
  ];
}
