import type { Engine } from '#services/crier/engines/engine.ts';
import { writePosts, writtenPost } from './backlog.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** Between the end of what was due before now and the first week that waits: no Post comes due while we measure. */
const PAUSE_MS = 2 * DAY_MS;
/** A week is planned in one go, each on a day of its own. */
const WRITTEN_WITHIN_MS = 6 * HOUR_MS;
const POSTS_A_TURN = 200;
const OPENING_HOUR = 7;
const OPEN_HOURS = 14;

export interface AgencyWeeks {
  readonly workspaceIds: readonly string[];
  readonly postsAWeek: number;
  /** Weeks that wait, in each Workspace; before them lies one that was published. */
  readonly weeks: number;
  readonly now: number;
}

/** The first day of the first week that waits, a Monday. */
export function firstMonday(now: number): number {
  const day = Math.ceil((now + PAUSE_MS) / DAY_MS);
  // Day 0 was a Thursday.
  return (day + ((11 - (day % 7)) % 7)) * DAY_MS;
}

/** The Posts of agencies: a third of each day's at nine o'clock, the others until evening; each to two Channels. */
export async function fillAgencies(engine: Engine, agencies: AgencyWeeks): Promise<void> {
  const { workspaceIds, postsAWeek } = agencies;
  await writePosts(
    engine,
    workspaceIds,
    turnsOf(agencies),
    (state, { weekStart, writtenFrom, first, count, isPublished }) => {
      const channels = Object.values(state.channels);
      return Array.from({ length: count }, (_, index) => {
        const number = first + index;
        return writtenPost(engine, state, {
          createdAt: Math.floor(writtenFrom + (WRITTEN_WITHIN_MS * number) / postsAWeek),
          scheduledAt: weekStart + dueWithinWeek(number),
          text: `Number ${number}: the tea of the week is here. Come and taste it, from nine o'clock on, at the old harbour.`,
          channels: [channels[number % channels.length]!, channels[(number + 1) % channels.length]!],
          isPublished,
        });
      });
    },
  );
}

interface Turn {
  readonly workspaceId: string;
  readonly weekStart: number;
  readonly writtenFrom: number;
  readonly first: number;
  readonly count: number;
  readonly isPublished: boolean;
}

function* turnsOf({ workspaceIds, postsAWeek, weeks, now }: AgencyWeeks): Generator<Turn> {
  const monday = firstMonday(now);
  const published = Math.floor((now - WEEK_MS) / HOUR_MS) * HOUR_MS + HOUR_MS;
  const starts = [published, ...Array.from({ length: weeks }, (_, week) => monday + week * WEEK_MS)];
  for (const [index, weekStart] of starts.entries()) {
    const isPublished = weekStart === published;
    const writtenFrom = (isPublished ? published : now - index * DAY_MS) - DAY_MS;
    for (const workspaceId of workspaceIds)
      for (let first = 0; first < postsAWeek; first += POSTS_A_TURN) {
        const count = Math.min(POSTS_A_TURN, postsAWeek - first);
        yield { workspaceId, weekStart, writtenFrom, first, count, isPublished };
      }
  }
}

function dueWithinWeek(number: number): number {
  const day = number % 7;
  const ofDay = Math.floor(number / 7);
  const minutes = ofDay % 3 === 0 ? 9 * 60 : OPENING_HOUR * 60 + ((ofDay * 37) % (OPEN_HOURS * 60));
  return day * DAY_MS + minutes * 60_000;
}
