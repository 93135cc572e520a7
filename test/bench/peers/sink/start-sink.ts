import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '#testing/engines/process.ts';
import { askJson, startProgram } from '../child-program.ts';
import type { Arrival } from './arrivals.ts';

/** The name by which Crier calls the sink's https server. */
export const HOOKS_HOST = 'hooks.test';

const POLL_MS = 50;

/** The sink, in a process of its own. */
export interface Sink {
  readonly url: string;
  /** Where the plain service sends webhooks. */
  readonly hooksUrl: string;
  /** Where `HOOKS_HOST` is. */
  readonly hooksPort: number;
  readonly authorityFile: string;
  arrivals(): Promise<readonly Arrival[]>;
  /** How many arrived since it was last emptied. */
  count(kind: 'published' | 'webhooks'): Promise<number>;
  clear(): Promise<void>;
  /** Resolves when at least so many arrived, or at the deadline: false. */
  reached(kind: 'published' | 'webhooks', count: number, withinMs: number): Promise<boolean>;
  stop(): Promise<void>;
}

export async function startSink(folder: string): Promise<Sink> {
  const [hooksPort] = (await freePorts(1)) as [number];
  const authorityFile = join(folder, 'sink-authority.pem');
  const child = await startProgram({
    name: 'sink',
    folder,
    script: join(import.meta.dirname, 'sink.ts'),
    env: { SINK_AUTHORITY_FILE: authorityFile, SINK_HOOKS_PORT: `${hooksPort}` },
  });
  const { url } = child;
  const count: Sink['count'] = async (kind) =>
    (await askJson<Readonly<Record<typeof kind, number>>>(`${url}/counts`))[kind];
  return {
    url,
    hooksUrl: `${url}/hook`,
    hooksPort,
    authorityFile,
    arrivals: () => askJson<readonly Arrival[]>(`${url}/arrivals`),
    clear: () => askJson<void>(`${url}/clear`, {}),
    count,
    reached: async (kind, wanted, withinMs) => {
      for (const giveUpAt = Date.now() + withinMs; ; await sleep(POLL_MS)) {
        if ((await count(kind)) >= wanted) return true;
        if (Date.now() > giveUpAt) return false;
      }
    },
    stop: () => child.stop(),
  };
}
