import type { ChangeSignal } from './signal-queue.ts';

/** One place between who is told of changes and who sends them on: the next is not put in before this one was taken. */
export class Handover {
  #signal: ChangeSignal | null = null;
  #taken: (() => void) | null = null;
  #wake: (() => void) | null = null;

  /** Resolves when the signal was taken. */
  put(signal: ChangeSignal): Promise<void> {
    this.#signal = signal;
    this.#wake?.();
    return new Promise((resolve) => (this.#taken = resolve));
  }

  /** Waits for the next signal; null: `ended` came first. */
  async take(ended: AbortSignal): Promise<ChangeSignal | null> {
    if (this.#signal === null && !ended.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => resolve();
      this.#wake = wake;
      ended.addEventListener('abort', wake);
      await promise;
      ended.removeEventListener('abort', wake);
      this.#wake = null;
    }
    if (ended.aborted) return null;
    const signal = this.#signal;
    this.#signal = null;
    this.#taken?.();
    return signal;
  }
}
