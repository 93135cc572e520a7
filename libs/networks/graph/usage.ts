import type { CallSummary } from '../contract/adapter.ts';
import { at } from '../http/call.ts';
import { boundedWaitMs, retryAfterMs } from '../http/retry-after.ts';

type Headers = Readonly<Record<string, string>>;

/** Percent of what is allowed from which on nothing more is asked for. */
const TOO_MUCH = 95;
/** Without a time of the Network's own. Its windows roll, so a few minutes let some of the load leave them. */
const PAUSE_MS = 5 * 60_000;

/** Until the Network lets calls through again, as its usage header says; null when it doesn't. */
export function regainAccessMs(headers: Headers): number | null {
  const minutes = Math.max(0, ...accountUses(headers).map((use) => numberAt(use, 'estimated_time_to_regain_access')));
  return minutes > 0 ? boundedWaitMs(minutes * 60_000) : retryAfterMs(headers);
}

/**
 * Whether calls should stop before the Network throttles them, by the two usage headers; our app's own use concerns
 * every account.
 */
export function pauseOf(headers: Headers): CallSummary['pause'] {
  if (percentOf(parsed(headers['x-app-usage'])) >= TOO_MUCH) return { scope: 'app', forMs: PAUSE_MS };
  const uses = accountUses(headers);
  const minutes = Math.max(0, ...uses.map((use) => numberAt(use, 'estimated_time_to_regain_access')));
  if (minutes > 0) return { scope: 'account', forMs: boundedWaitMs(minutes * 60_000) };
  return uses.some((use) => percentOf(use) >= TOO_MUCH) ? { scope: 'account', forMs: PAUSE_MS } : undefined;
}

/** `{"<page or business id>": [{"type": "pages", "call_count": 12, ...}]}` */
function accountUses(headers: Headers): readonly unknown[] {
  return Object.values(parsed(headers['x-business-use-case-usage'])).flatMap((uses) =>
    Array.isArray(uses) ? uses : [],
  );
}

function percentOf(use: unknown): number {
  return Math.max(numberAt(use, 'call_count'), numberAt(use, 'total_time'), numberAt(use, 'total_cputime'));
}

function numberAt(value: unknown, key: string): number {
  const found = at(value, key);
  return typeof found === 'number' && Number.isFinite(found) ? found : 0;
}

function parsed(header: string | undefined): object {
  try {
    const value: unknown = JSON.parse(header ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
