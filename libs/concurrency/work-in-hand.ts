import { AsyncLocalStorage } from 'node:async_hooks';

/** What the event loop works on at a moment: whose it is, and by which route or job. */
export interface WorkInHand {
  /** The operation of a route, or the name of a consumer: one of few. */
  readonly work: string;
  /** Null: not known yet, or of no Workspace. */
  workspaceId: string | null;
  /** Of a consumer: the key of the records. */
  readonly key?: string;
}

/** One for the thread, as is its event loop. */
const inHand = new AsyncLocalStorage<WorkInHand>();
let onBegin = (): void => {};

/** Runs `work`, which is then what is in hand wherever it waits and goes on. */
export function workingOn<T>(about: WorkInHand, work: () => T): T {
  onBegin();
  return inHand.run(about, work);
}

/** Has `listener` called whenever named work begins, in place of the one before. */
export function whenWorkBegins(listener: () => void): void {
  onBegin = listener;
}

/** Null: nothing that was named. */
export function workInHand(): WorkInHand | null {
  return inHand.getStore() ?? null;
}

/** Of the work in hand: its Workspace, or while that is unknown the key of a consumer's records; null: neither. */
export function ownerOfWork(): string | null {
  const about = inHand.getStore();
  return about?.workspaceId ?? about?.key ?? null;
}

/** For whom the work in hand is, once that is known. */
export function workingFor(workspaceId: string): void {
  const about = inHand.getStore();
  if (about !== undefined) about.workspaceId = workspaceId;
}
