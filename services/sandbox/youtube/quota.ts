import { shelf, type SandboxStore } from '../store/store.ts';
import { pacificDay } from './days.ts';

/** The used part of the limits of a day, which ends at midnight in California. */
export interface DailyQuota {
  used(what: string, now: number): number;
  use(what: string, now: number): void;
}

export function createQuota(store: SandboxStore): DailyQuota {
  const counts = shelf<{ readonly day: string; readonly used: number }>(store, 'youtube.quota');
  const used = (what: string, day: string): number => {
    const count = counts.get(what);
    return count?.day === day ? count.used : 0;
  };
  return {
    used: (what, now) => used(what, pacificDay(now)),
    use(what, now) {
      const day = pacificDay(now);
      counts.put(what, { day, used: used(what, day) + 1 });
    },
  };
}
