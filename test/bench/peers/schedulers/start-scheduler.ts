import { join } from 'node:path';
import { askJson, startProgram, type ChildProgram } from '../child-program.ts';
import { POSTGRES_DURABILITY, startPostgres } from '../engines/postgres.ts';
import type { PeerPrograms } from '../engines/programs.ts';
import { REDIS_DURABILITY, startRedis } from '../engines/redis.ts';
import type { DuePost, Home, PeerSite, RunningPeer, StartPeer } from '../peer.ts';
import { ENGINE_VARIABLE, SINK_VARIABLE, type SchedulerName } from './open-scheduler.ts';
import type { DueJob } from './scheduler.ts';

const PROGRAM = join(import.meta.dirname, 'program.ts');
const JOBS_A_REQUEST = 500;

/** What a scheduler keeps its jobs in. */
interface JobStore {
  readonly durability: string;
  /** As its processes are told. */
  readonly address: string;
  pid(): number | null;
  stop(): Promise<void>;
}

/** A scheduler alone: its store, a process that takes jobs, and one that does them. */
export function schedulerPeer(name: SchedulerName, programs: PeerPrograms): StartPeer {
  return async ({ folder, sink, defer }: PeerSite): Promise<RunningPeer> => {
    const store = await openStore(name, folder, programs);
    defer(store.stop);
    const start = async (role: 'producer' | 'worker'): Promise<ChildProgram> => {
      const program = await startProgram({
        name: `${name}-${role}`,
        folder,
        script: PROGRAM,
        args: [name, role],
        env: { [ENGINE_VARIABLE]: store.address, [SINK_VARIABLE]: sink.url },
      });
      defer(program.stop);
      return program;
    };
    // One after the other: the first makes the tables.
    const producer = await start('producer');
    const worker = await start('worker');
    return {
      durability: store.durability,
      jvm: null,
      api: null,
      pids: () => [store, producer, worker].map((each) => each.pid()).filter((pid) => pid !== null),
      openHome: async (channels) => homeOf(producer.url, channels),
      kill: () => worker.kill(),
      restart: () => worker.restart(),
    };
  };
}

async function openStore(name: SchedulerName, folder: string, programs: PeerPrograms): Promise<JobStore> {
  if (name === 'bullmq') {
    const redis = await startRedis(folder, programs);
    return { ...redis, durability: REDIS_DURABILITY, address: `${redis.port}` };
  }
  const postgres = await startPostgres(folder, programs);
  return { ...postgres, durability: POSTGRES_DURABILITY, address: postgres.url };
}

function homeOf(producerUrl: string, channels: number): Home {
  const accounts = Array.from({ length: channels }, (_, channel) => `channel ${channel + 1}`);
  const jobsOf = ({ text, channels: places, dueAt }: DuePost): DueJob[] =>
    places.map((place) => ({ text, account: accounts[place]!, dueAt }));
  return {
    accounts,
    schedule: async (posts) => {
      const jobs = posts.flatMap(jobsOf);
      for (let from = 0; from < jobs.length; from += JOBS_A_REQUEST)
        await askJson(`${producerUrl}/jobs`, jobs.slice(from, from + JOBS_A_REQUEST));
    },
    state: async () => ({ unfinished: await askJson<number>(`${producerUrl}/unfinished`), notPublished: [] }),
  };
}
