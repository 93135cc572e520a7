import { NETWORKS, perNetwork, type Network } from '#domain/network.ts';
import type { QuotaWindow } from '#tables/repositories/network-uses.ts';
import type { NetworkBudget } from './adapter.ts';

type Budgets = Readonly<Record<Network, NetworkBudget>>;

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const ENTRY = /^([a-z]+)\.(account|app)=(.+)$/;
const ALLOWANCE = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,3})([smhd])$/;

/**
 * Budgets as an operator changes them: '' leaves them, `off` lifts all, else entries such as `x.account=100/15m` or
 * `tiktok.account=6/1m+15/1d,youtube.app=500/1d`, each in place of what is documented. Throws an Error that says what
 * is wrong.
 */
export function changeBudgets(budgets: Budgets, changes: string): Budgets {
  if (changes.trim() === '') return budgets;
  if (changes.trim() === 'off') return perNetwork((network) => ({ ...budgets[network], account: [], app: [] }));
  let changed = budgets;
  for (const entry of changes.split(',').map((each) => each.trim())) {
    const [, network = '', scope, allowances] = ENTRY.exec(entry) ?? [];
    if (!isNetwork(network)) {
      throw new Error(`"${entry}" is no budget; write off, or entries such as x.account=100/15m, separated by commas`);
    }
    changed = {
      ...changed,
      [network]: {
        ...changed[network],
        [scope as 'account' | 'app']: allowances!.split('+').map((each) => allowanceOf(each, entry)),
      },
    };
  }
  return changed;
}

/** A Network's jobs have sixteen partitions, and a process that has one makes 64 attempts at once at most. */
export const MAX_AT_ONCE = 1_024;
const AT_ONCE_ENTRY = /^([a-z]+)=([1-9][0-9]{0,3})$/;

/**
 * Budgets with other numbers of attempts that all processes make at once: '' leaves them, else entries such as
 * `facebook=512,youtube=16`, from 1 to `MAX_AT_ONCE`. Throws an Error that says what is wrong.
 */
export function changeAtOnce(budgets: Budgets, changes: string): Budgets {
  if (changes.trim() === '') return budgets;
  let changed = budgets;
  for (const entry of changes.split(',').map((each) => each.trim())) {
    const [, network = '', count] = AT_ONCE_ENTRY.exec(entry) ?? [];
    if (!isNetwork(network) || Number(count) > MAX_AT_ONCE)
      throw new Error(
        `"${entry}" is no number of attempts; write entries such as facebook=512, from 1 to ${MAX_AT_ONCE}`,
      );
    changed = { ...changed, [network]: { ...changed[network], atOnce: Number(count) } };
  }
  return changed;
}

const isNetwork = (name: string): name is Network => (NETWORKS as readonly string[]).includes(name);

function allowanceOf(text: string, entry: string): QuotaWindow {
  const [, uses, count, unit] = ALLOWANCE.exec(text.trim()) ?? [];
  if (uses === undefined)
    throw new Error(`"${text}" in "${entry}" is no allowance; write uses and a window, such as 100/15m or 10000/1d`);
  return { uses: Number(uses), windowMs: Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS] };
}
