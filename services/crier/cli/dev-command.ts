import { ConfigError } from '#config/config.ts';
import { callAndShow } from './admin-command.ts';
import type { Flags } from './flags.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * `crier dev advance 15m`: moves Crier's clock, and fires every timer that is due then before the command ends.
 * `crier dev in 30m`: prints the instant that far ahead of Crier's clock, which may be ahead of the machine's.
 */
export async function devCommand(flags: Flags): Promise<number> {
  const [what, duration, ...more] = flags.words;
  if (duration === undefined || more.length > 0) throw new ConfigError(USE);
  const milliseconds = durationMs(duration);
  if (what === 'advance') return callAndShow(flags, 'clock.advance', { milliseconds });
  if (what === 'in')
    return callAndShow(flags, 'system.status', undefined, (status) =>
      instantAfter((status as { readonly now: string }).now, milliseconds),
    );
  throw new ConfigError(USE);
}

const USE = 'use crier dev advance <duration> or crier dev in <duration>, e.g. crier dev advance 15m';

function instantAfter(now: string, milliseconds: number): string {
  return new Date(Date.parse(now) + milliseconds).toISOString();
}

/** `90s`, `15m`, `1h30m`, `2d` in milliseconds. Throws ConfigError. */
function durationMs(text: string): number {
  if (!/^(\d+(ms|[smhd]))+$/.test(text))
    throw new ConfigError(`"${text}" is no duration: write e.g. 90s, 15m, 1h30m or 2d`);
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[smhd])/g)) sum += Number(count) * UNIT_MS[unit!]!;
  return sum;
}
