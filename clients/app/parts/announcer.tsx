import { useSyncExternalStore } from 'react';

let said: readonly [text: string, times: number] = ['', 0];
const listeners = new Set<() => void>();

/** Has readers say something that is seen elsewhere on the page, when they have finished what they say now. */
export function announce(text: string): void {
  said = [text, said[1] + 1];
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where announcements are put: once in the frame. */
export function Announcer() {
  const [text, times] = useSyncExternalStore(subscribe, () => said);
  // Two places in turn: the same words twice are two announcements.
  return (
    <div className="visually-hidden" role="status">
      <p>{times % 2 === 0 ? text : ''}</p>
      <p>{times % 2 === 1 ? text : ''}</p>
    </div>
  );
}
