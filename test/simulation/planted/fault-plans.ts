import { NO_FAULTS, type Blow, type FaultPlan } from '../faults.ts';
import type { ActionShares } from '../actions.ts';

/** Which faults make a kind of bug do harm within few worlds. What a plan leaves out is drawn by the seed. */

function blows(frequencies: Partial<Record<Blow, number>>, blowEveryMs: number): Partial<FaultPlan> {
  return { blows: { ...NO_FAULTS.blows, ...frequencies }, blowEveryMs };
}

/** For bugs that need no fault: without any, they show soonest. */
export const QUIET: Partial<FaultPlan> = NO_FAULTS;
/** Clocks are off by almost as much as a process may run with, and nothing else is wrong. */
export const LOOSE_CLOCKS: Partial<FaultPlan> = { ...NO_FAULTS, maxOffsetMs: 25_000 };
/** The clock of one process after the other is set by up to half a minute, whatever the process is at. */
export const CLOCKS_PUT_BACK: Partial<FaultPlan> = {
  ...LOOSE_CLOCKS,
  ...blows({ 'step-clock': 6, pause: 1 }, 700),
};
export const LEAPS: Partial<FaultPlan> = { crashAtCall: 0, ...blows({ 'leap-far': 1 }, 40_000) };
export const LEAPS_OFTEN: Partial<FaultPlan> = { ...LEAPS, blowEveryMs: 6_000 };
export const LEAPS_AND_DEATHS = blows({ 'leap-far': 2, crash: 1, rebalance: 1 }, 15_000);
export const HOLDS = blows({ hold: 1 }, 15_000);
export const HOLDS_AND_DEATHS = blows({ hold: 1, crash: 2 }, 8_000);
export const OUTAGES: Partial<FaultPlan> = { crashAtCall: 0, ...blows({ outage: 2, crash: 1 }, 10_000) };
export const PAUSES: Partial<FaultPlan> = { crashAtCall: 0, ...blows({ pause: 3, overlap: 1 }, 5_000) };
/** Two owners of one partition at once, of which one does not know of the other. */
export const OVERLAPS: Partial<FaultPlan> = {
  crashAtCall: 0,
  ...blows({ overlap: 4, pause: 1, rebalance: 1 }, 4_000),
};
/** The calls of one owner to its Network are on their way when the other begins. */
export const SLOW_OVERLAPS: Partial<FaultPlan> = { ...OVERLAPS, request: { slow: 0.6, cut: 0 } };
export const CRASHES_AND_REBALANCES: Partial<FaultPlan> = {
  crashAtCall: 0.02,
  ...blows({ crash: 2, rebalance: 2, redeliver: 1 }, 5_000),
};
export const UNANSWERED: Partial<FaultPlan> = {
  store: { unavailable: 0.03, lost: 0.03, unanswered: 0.08, late: 0.04, rowsAtOnce: 0 },
  log: { ...NO_FAULTS.log, unavailable: 0.05, lost: 0.03, unanswered: 0.1, twice: 0.2 },
};
/** The disk has no room for an append that the owner of a Workspace may have read. */
export const FULL_DISKS: Partial<FaultPlan> = {
  ...NO_FAULTS,
  log: { ...NO_FAULTS.log, full: 0.25 },
};
/** The store refuses every turn that answers more than two commands. */
export const SMALL_BATCHES: Partial<FaultPlan> = { ...NO_FAULTS, store: { ...NO_FAULTS.store, rowsAtOnce: 3 } };
/** A broker whose machine loses its power loses what it acknowledged, and nothing else is wrong. */
export const LOST_RECORDS: Partial<FaultPlan> = { ...NO_FAULTS, log: { ...NO_FAULTS.log, gone: 0.03 } };
/** So many that a Variant loses what goes on with it, and later on the report of how that ended. */
export const MANY_LOST_RECORDS: Partial<FaultPlan> = { ...NO_FAULTS, log: { ...NO_FAULTS.log, gone: 0.3 } };
export const FAILING_READS: Partial<FaultPlan> = {
  crashAtCall: 0,
  store: { ...NO_FAULTS.store, unavailable: 0.15 },
};
/** What a publisher knows can not be written for a while, and its process lives on. */
export const REFUSED_WRITES: Partial<FaultPlan> = {
  ...NO_FAULTS,
  store: { ...NO_FAULTS.store, unavailable: 0.1, lost: 0.05 },
};
/** Answers of the Networks are lost, so that it is unknown what became of a call. */
export const CUT_ANSWERS: Partial<FaultPlan> = {
  crashAtCall: 0.005,
  request: { slow: 0.1, cut: 0.35 },
  ...blows({ network: 3, crash: 1 }, 5_000),
};

/** The same, and what is reported of an attempt comes again during the next one. */
export const CUT_AND_TOLD_TWICE: Partial<FaultPlan> = {
  ...CUT_ANSWERS,
  log: { ...NO_FAULTS.log, unanswered: 0.3, twice: 0.5 },
  ...blows({ network: 2, crash: 2, duplicate: 4 }, 1_500),
};

/** So that nothing else explains what is not known, or not published. */
export const NOTHING_BUT_CUT_ANSWERS: Partial<FaultPlan> = { ...NO_FAULTS, request: { slow: 0, cut: 0.3 } };

/** An engine refuses or hangs for some processes, and recovers; all stay members of their groups. */
export const STALLS: Partial<FaultPlan> = { ...NO_FAULTS, ...blows({ stall: 1 }, 6_000) };
/** So often that one of them lasts whenever a watermark moves. */
export const STALLS_OFTEN: Partial<FaultPlan> = { ...STALLS, blowEveryMs: 1_500 };

/** For bugs in what another attempt does, after one that failed or whose outcome is not known. */
export const RETRYING: ActionShares = { 'create now': 3, retry: 4 };
/** For bugs in what becomes of events. */
export const WITH_RECEIVERS: ActionShares = {
  'create now': 4,
  'create later': 2,
  'send a test event': 3,
  'deliver again': 2,
  'delete an endpoint': 1,
  'register an endpoint': 1,
  'break a receiver': 4,
};
/** For bugs in what becomes of files. */
export const WITH_FILES: ActionShares = { 'create with files': 6, 'use a file twice': 1, 'upload and leave it': 1 };
/** For bugs in what a Member's key or app may do once it is revoked, or the Member removed. */
export const ENDING_CREDENTIALS: ActionShares = { 'create now': 1, 'end a credential': 4 };
/** For bugs in what a Plan is, and what a Downgrade or a Disconnect ends. */
export const CHANGING_PLANS: ActionShares = { 'create now': 1, 'create later': 4, 'change the plan': 4 };
/** For bugs in how a Post takes the place of another. */
export const EDITING: ActionShares = {
  'create later': 3,
  replace: 1,
  'replace when due': 3,
  'replace twice at once': 2,
  'replace by what is refused': 2,
  move: 1,
  cancel: 1,
};
/** For bugs in how many Posts are created by one request. */
export const IN_BULK: ActionShares = { 'create in bulk': 4, 'create later': 1, cancel: 1 };
/** For bugs in how large a Workspace grows. */
export const FULL_OF_KEYS: ActionShares = { 'create now': 20, 'fill with keys': 1 };
/** For bugs that show when weeks pass. */
export const WEEKS_AHEAD: ActionShares = { 'create far ahead': 4, 'create later': 1 };
