import type { LiveChange } from '#services/app/live/live-change.ts';

export interface LiveChangeListener {
  readonly onData: (change: LiveChange) => void;
  /** The connection is there, for the first time or again. */
  readonly onStarted: () => void;
}

/** Listens until `unsubscribe`, and connects again by itself. */
export type SubscribeToChanges = (
  workspaceId: string,
  listener: LiveChangeListener,
) => { readonly unsubscribe: () => void };
