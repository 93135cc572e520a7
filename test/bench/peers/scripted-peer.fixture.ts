import { askJson } from './child-program.ts';
import type { Home, RunningPeer } from './peer.ts';
import type { DueJob } from './schedulers/scheduler.ts';

export interface ScriptedPeer {
  /** When it sends one Variant, after its due time; none: it does not. */
  readonly sends: (index: number) => readonly number[];
  /** What it says is left, at any time. Default: nothing. */
  readonly unfinished?: number;
  /** Called when it is asked what is left. */
  readonly onStateRead?: () => void;
  /** Where it sends what is for an account. Default: there. */
  readonly accountOf?: (account: string) => string;
  /** What it does when it is started again after a kill. Default: it sends what was not sent; or so, one by one. */
  readonly afterKill?: 'resumes' | 'trickles' | 'forgets' | 'repeats';
}

/** A peer that keeps its jobs in the memory of this process, and does with them what a test wants to be found. */
export function scriptedPeer(
  sinkUrl: string,
  { sends, unfinished = 0, onStateRead, accountOf = (account) => account, afterKill = 'resumes' }: ScriptedPeer,
): RunningPeer {
  const waiting = new Map<NodeJS.Timeout, DueJob>();
  const sent: DueJob[] = [];
  let killed: readonly DueJob[] = [];
  const sendAt = (job: DueJob, at: number): void => {
    const timer = setTimeout(() => {
      waiting.delete(timer);
      sent.push(job);
      void askJson(`${sinkUrl}/publish`, { text: job.text, account: accountOf(job.account) });
    }, at - Date.now());
    waiting.set(timer, job);
  };
  const home: Home = {
    accounts: ['a', 'b'],
    schedule: async (posts) => {
      const jobs = posts.flatMap(({ text, channels, dueAt }) =>
        channels.map((channel) => ({ text, account: home.accounts[channel]!, dueAt })),
      );
      for (const [index, job] of jobs.entries()) for (const afterMs of sends(index)) sendAt(job, job.dueAt + afterMs);
    },
    state: async () => {
      onStateRead?.();
      return { unfinished, notPublished: [] };
    },
  };
  return {
    ...{ durability: 'none', jvm: null, api: null, pids: () => [], openHome: async () => home },
    kill: async () => {
      killed = [...waiting.values()];
      for (const timer of waiting.keys()) clearTimeout(timer);
      waiting.clear();
    },
    restart: async () => {
      const now = Date.now();
      for (const [index, job] of killed.entries()) {
        if (afterKill === 'trickles') sendAt(job, now + (index + 1) * TRICKLE_MS);
        else if (afterKill !== 'forgets') sendAt(job, job.dueAt + ON_TIME_MS);
      }
      if (afterKill === 'repeats') for (const job of [...sent]) sendAt(job, job.dueAt + ON_TIME_MS);
    },
  };
}

const TRICKLE_MS = 50;
/** A timer may fire a millisecond before its time. */
export const ON_TIME_MS = 2;
