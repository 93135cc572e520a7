import type { ApiClient } from '#testing/crier-clients.ts';

const EVERY_MS = 2_000;
/** Posts come due while a fault is there, and after it. */
const LEAD_MS = 5_000;
/** While the log is away each request waits for its deadline. */
const MAX_UNANSWERED = 20;

/**
 * A client that schedules a Post every other second and reads the list, whatever it is answered, until it is disposed
 * of.
 */
export function startTraffic(api: () => ApiClient, channelIds: readonly string[]): AsyncDisposable {
  const unanswered = new Set<Promise<unknown>>();
  let count = 0;
  const send = (method: string, path: string, body?: unknown): void => {
    const answered = api()
      .send(method, path, body)
      .catch(() => null)
      .finally(() => unanswered.delete(answered));
    unanswered.add(answered);
  };
  const timer = setInterval(() => {
    if (unanswered.size >= MAX_UNANSWERED) return;
    count += 1;
    const scheduledAt = new Date(Date.now() + LEAD_MS).toISOString();
    send('POST', '/api/posts', { text: `Of every day ${count}`, channelIds, scheduledAt });
    send('GET', '/api/posts?limit=1');
  }, EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all(unanswered);
    },
  };
}
