import { askJson } from './child-program.ts';
import type { Home, RunningPeer } from './peer.ts';

/** When a peer sends one Variant, after its due time; none: it does not. */
export type Sends = (index: number) => readonly number[];

export interface ScriptedPeer {
  readonly sends: Sends;
  /** What it says is left, at any time. Default: nothing. */
  readonly unfinished?: number;
  /** Where it sends what is for an account. Default: there. */
  readonly accountOf?: (account: string) => string;
}

/** A peer that keeps its jobs in the memory of this process, and does with them what a test wants to be found. */
export function scriptedPeer(
  sinkUrl: string,
  { sends, unfinished = 0, accountOf = (account) => account }: ScriptedPeer,
): RunningPeer {
  const home: Home = {
    accounts: ['a', 'b'],
    schedule: async (posts) => {
      const jobs = posts.flatMap(({ text, channels, dueAt }) =>
        channels.map((channel) => ({ text, account: home.accounts[channel]!, dueAt })),
      );
      for (const [index, { text, account, dueAt }] of jobs.entries())
        for (const afterMs of sends(index))
          setTimeout(
            () => void askJson(`${sinkUrl}/publish`, { text, account: accountOf(account) }),
            dueAt + afterMs - Date.now(),
          );
    },
    state: async () => ({ unfinished, notPublished: [] }),
  };
  const nothing = async (): Promise<void> => {};
  const rest = { durability: 'none', api: null, pids: () => [], kill: nothing, restart: nothing, stop: nothing };
  return { ...rest, openHome: async () => home };
}
