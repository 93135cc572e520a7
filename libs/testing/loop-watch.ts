export interface LoopWatch {
  /** The most processor time, in milliseconds, that one turn of the event loop has taken so far. */
  longestMs(): number;
  stop(): void;
}

/**
 * Measures every turn of this thread's event loop. It counts processor time and not wall time, because a busy machine
 * must not lengthen a turn.
 */
export function watchLoop(): LoopWatch {
  let watching = true;
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = (): void => {
    if (!watching) return;
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
    setImmediate(look);
  };
  setImmediate(look);
  return { longestMs: () => longest, stop: () => void (watching = false) };
}
