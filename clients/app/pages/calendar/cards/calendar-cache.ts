import { outdate, patchAnswer, queryClient, serverKey } from '../../../server/queries.ts';
import { server } from '../../../server/server.ts';
import type { ZoneClock } from '../time/zone-clock.ts';
import type { ShownCard, CardsOfRange } from './calendar-card.ts';
import { patchCards } from './patch-cards.ts';
import { takeCome, takeFirstWeek } from './first-week.ts';
import { unpackCards } from './unpack-cards.ts';
import { weekInput, type CalendarInput } from './week-input.ts';

/** Weeks that are kept beside those that are shown: a tab stays small however long somebody pages through it. */
const MAX_KEPT_WEEKS = 12;

/** The Posts of a week of a zone. `first`: its first day. */
export function weekQuery(workspaceId: string, first: string, clock: ZoneClock) {
  const input = weekInput(workspaceId, first, clock);
  return {
    queryKey: serverKey((at) => at.posts.calendar, input),
    // What the page brought along is there in the first drawing already: no empty calendar is drawn before it.
    initialData: () => {
      const come = takeCome(input);
      return come === null ? undefined : unpackCards(come);
    },
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<CardsOfRange> =>
      unpackCards(
        (await takeFirstWeek(input)) ??
          (await server.posts.calendar.query(input, { signal, context: { isAlone: true } })),
      ),
  };
}

/**
 * Puts what these Posts are now into every week that was read. A week that is being read right now is read again: its
 * answer may be older than the change. Resolves once those that are shown are as they are now; never rejects.
 */
export async function patchCalendars(
  workspaceId: string,
  changed: ReadonlySet<string>,
  cards: readonly ShownCard[],
): Promise<void> {
  const reads: Promise<void>[] = [];
  for (const query of weeksRead(workspaceId)) {
    if (query.state.fetchStatus !== 'idle') {
      reads.push(outdate({ queryKey: query.queryKey, exact: true }));
      continue;
    }
    const { from, to } = query.queryKey.at(-1) as CalendarInput;
    patchAnswer<CardsOfRange>(query.queryKey, (page) => patchCards(page, { from, to, changed, cards }));
  }
  await Promise.all(reads);
}

/** Forgets the weeks that were looked at longest ago. */
export function forgetOldWeeks(workspaceId: string): void {
  const idle = weeksRead(workspaceId).filter((query) => !query.isActive());
  idle.sort((one, other) => other.state.dataUpdatedAt - one.state.dataUpdatedAt);
  for (const query of idle.slice(MAX_KEPT_WEEKS)) queryClient.removeQueries({ queryKey: query.queryKey, exact: true });
}

function weeksRead(workspaceId: string) {
  return queryClient
    .getQueryCache()
    .findAll({ queryKey: serverKey((from) => from.posts.calendar) })
    .filter(({ queryKey }) => (queryKey.at(-1) as CalendarInput).workspaceId === workspaceId);
}
