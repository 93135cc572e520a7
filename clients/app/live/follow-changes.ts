import type { LiveChange } from '#services/app/live/live-change.ts';
import { isSignedOut } from '../server/problem.ts';
import type { LiveChangeListener } from './live-changes.ts';

/** What tRPC tells of a connection. */
interface ConnectionListener {
  readonly onData: (change: LiveChange) => void;
  readonly onConnectionStateChange: (now: { readonly state: 'idle' | 'connecting' | 'pending' }) => void;
  readonly onError: (error: unknown) => void;
  readonly onComplete: () => void;
}

export interface FollowOptions extends LiveChangeListener {
  /** Opens one connection, which tRPC makes again by itself where it was only cut. */
  readonly connect: (listener: ConnectionListener) => { readonly unsubscribe: () => void };
  /** The server refused the connection because the session has ended or the person signed out. */
  readonly onSignedOut: (error: unknown) => void;
  readonly ended: AbortSignal;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * Stays connected until `ended`. A server that stops ends its connections, and another one takes them. A refusal is
 * followed by further attempts: the person may sign in again in another tab, and a hidden tab learns of that only when
 * it connects.
 */
export async function followChanges(options: FollowOptions): Promise<void> {
  const { ended, onStarted } = options;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    const over = await connection({
      ...options,
      onStarted: () => {
        delayMs = FIRST_DELAY_MS;
        onStarted();
      },
    });
    if (ended.aborted) return;
    if (over === 'signed-out') delayMs = MAX_DELAY_MS;
    await pause(delayMs * (0.5 + Math.random() / 2), ended);
    if (ended.aborted) return;
  }
}

/** Resolves when the connection has ended for good. */
function connection(options: FollowOptions): Promise<'ended' | 'signed-out'> {
  const { connect, ended, onData, onStarted, onSignedOut } = options;
  return new Promise((resolve) => {
    const settle = (over: 'ended' | 'signed-out'): void => {
      ended.removeEventListener('abort', abort);
      resolve(over);
    };
    const { unsubscribe } = connect({
      onData,
      onConnectionStateChange: ({ state }) => {
        if (state === 'pending') onStarted();
      },
      onError: (error) => {
        const isRefused = isSignedOut(error);
        if (isRefused) onSignedOut(error);
        settle(isRefused ? 'signed-out' : 'ended');
      },
      onComplete: () => settle('ended'),
    });
    function abort(): void {
      unsubscribe();
      settle('ended');
    }
    ended.addEventListener('abort', abort);
  });
}

/** A wait of `ms`, ended early by `stopped`, so that a tab that stops gives up its lock to another tab at once. */
function pause(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(over, ms);
    function over(): void {
      clearTimeout(timer);
      ended.removeEventListener('abort', over);
      resolve();
    }
    ended.addEventListener('abort', over);
  });
}
