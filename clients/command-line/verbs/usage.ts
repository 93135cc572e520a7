import type { Usage } from '#clients/typescript/client.ts';
import { pairsOf } from '../table.ts';
import type { Verb } from '../verb.ts';

const GIGABYTE = 1024 ** 3;

export const USAGE: Verb = {
  name: 'usage',
  summary: "Show the Plan's limits and what is used of them",
  takes: '',
  minWords: 0,
  maxWords: 0,
  flags: [],
  examples: ['crier usage', 'crier usage --json'],
  run: async ({ crier, terminal, json }) => {
    const usage = await crier().usage.get({ signal: terminal.interrupted });
    terminal.out(json ? `${JSON.stringify(usage)}\n` : `${shown(usage)}\n`);
    return 0;
  },
};

function shown({ plan, period, limits, used, xCredits }: Usage): string {
  const of = (count: number, limit: number | null): string => `${count} of ${limit ?? 'any number'}`;
  const gigabytes = (bytes: number): string => (bytes / GIGABYTE).toFixed(2);
  return pairsOf([
    ['plan', plan],
    ['month', `${period.from.slice(0, 10)} to ${period.to.slice(0, 10)} (UTC)`],
    ['Channels', of(used.channels, limits.channels)],
    ['Posts this month', of(used.postsPerMonth, limits.postsPerMonth)],
    ['storage', `${gigabytes(used.storageBytes)} of ${gigabytes(limits.storageBytes)} GiB`],
    ['Members', of(used.members, limits.members)],
    ['X credits', `${xCredits.available} available, ${xCredits.reserved} reserved`],
  ]);
}
