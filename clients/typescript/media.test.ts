import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCrier } from './client.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const REASON = new Error('no longer wanted');

/** A client whose caller aborts an upload while the server reserves it, which it does after `reservesAfterMs`. */
function abortedWhileReserving(reservesAfterMs: number) {
  const interruption = new AbortController();
  const requests: string[] = [];
  const crier = createCrier({
    url: 'https://crier.test',
    key: 'crier_key',
    fetch: async (url, init) => {
      requests.push(`${init?.method} ${new URL(String(url)).pathname}`);
      if (init?.method === 'DELETE') return new Response(null, { status: 204 });
      interruption.abort(REASON);
      await new Promise<void>((resolve, reject) => {
        init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason as Error));
        setTimeout(resolve, reservesAfterMs);
        if (init!.signal!.aborted) reject(init!.signal!.reason as Error);
      });
      return Response.json({ data: { assetId: 'asset', uploadUrl: 'https://crier.test/put' } });
    },
  });
  const failure = crier.media
    .upload({ bytes: new Uint8Array(3), filename: 'a.jpg', signal: interruption.signal })
    .catch((error: unknown) => error);
  return { failure, requests };
}

test('an upload that is aborted while it is being reserved is removed once it is', async () => {
  const { failure, requests } = abortedWhileReserving(4_000);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await failure).toBe(REASON);
  expect(requests).toEqual(['POST /api/media', 'DELETE /api/media/asset']);
});

test('an abort waits for a reservation for 5 s at most', async () => {
  const { failure, requests } = abortedWhileReserving(60_000);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await failure).toBe(REASON);
  expect(requests).toEqual(['POST /api/media']);
});

test('an upload whose signal is aborted before it begins asks the server for nothing', async () => {
  const requests: string[] = [];
  const fetch = async (url: unknown) => (requests.push(String(url)), Response.json({ data: {} }));
  const crier = createCrier({ url: 'https://crier.test', key: 'crier_key', fetch: fetch as typeof globalThis.fetch });
  const upload = crier.media.upload({ bytes: new Uint8Array(3), filename: 'a.jpg', signal: AbortSignal.abort(REASON) });
  await expect(upload).rejects.toBe(REASON);
  expect(requests).toEqual([]);
});
