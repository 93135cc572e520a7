import { expect, test } from 'vitest';
import { UploadQueue, type UploadQueueOptions, type UploadState } from './upload-queue.ts';

const file = (name: string) => new File([new Uint8Array(10)], name, { type: 'image/jpeg' });
const settled = () => new Promise((resolve) => setImmediate(resolve));

class Refusal extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`refused: ${code}`);
    this.code = code;
  }
}

function rig(change: Partial<UploadQueueOptions> = {}) {
  const states = new Map<string, UploadState[]>();
  const calls: string[] = [];
  let reserved = 0;
  const queue = new UploadQueue({
    reserve: async ({ name }) => {
      reserved += 1;
      calls.push(`reserve ${name}`);
      return { assetId: `asset-${reserved}`, uploadUrl: `/uploads/${reserved}` };
    },
    send: async ({ url, onProgress }) => {
      calls.push(`send ${url}`);
      onProgress(10);
      return { kind: 'sent' };
    },
    complete: async (assetId) => void calls.push(`complete ${assetId}`),
    remove: async (assetId) => void calls.push(`remove ${assetId}`),
    problemOf: (error) => {
      const { code, message } = error as Refusal;
      return { code, message, isPassing: code === 'no_connection' };
    },
    untilNextTry: async (_tries, signal) => signal.throwIfAborted(),
    onState: (key, state) => states.set(key, [...(states.get(key) ?? []), state]),
    ...change,
  });
  const kinds = (key: string) => (states.get(key) ?? []).map(({ kind }) => kind);
  return { queue, calls, kinds, last: (key: string) => states.get(key)?.at(-1) };
}

test('a file is reserved, sent, completed and done', async () => {
  const { queue, calls, last } = rig();
  queue.add('a', file('tea.jpg'));
  await settled();
  expect(calls).toEqual(['reserve tea.jpg', 'send /uploads/1', 'complete asset-1']);
  expect(last('a')).toEqual({ kind: 'done', assetId: 'asset-1' });
});

test('a connection that is lost amid the file is waited for, and the file is sent again to the same address', async () => {
  const answers = [{ kind: 'lost' }, { kind: 'lost' }, { kind: 'sent' }] as const;
  const urls: string[] = [];
  const { queue, kinds } = rig({ send: async ({ url }) => answers[urls.push(url) - 1]! });
  queue.add('a', file('tea.jpg'));
  await settled();
  expect(urls).toEqual(['/uploads/1', '/uploads/1', '/uploads/1']);
  expect(kinds('a')).toEqual(['waiting', 'sending', 'away', 'sending', 'away', 'sending', 'checking', 'done']);
});

test('when the time for the upload is over it begins anew by itself', async () => {
  let sent = 0;
  const { queue, calls, last } = rig({
    send: async () =>
      ++sent === 1 ? { kind: 'refused', status: 403, code: 'forbidden', message: 'over' } : { kind: 'sent' },
  });
  queue.add('a', file('tea.jpg'));
  await settled();
  expect(calls).toEqual(['reserve tea.jpg', 'reserve tea.jpg', 'complete asset-2']);
  expect(last('a')).toEqual({ kind: 'done', assetId: 'asset-2' });
});

test('a lost answer to completing it asks again, and an upload that is not whole begins anew', async () => {
  const failures = ['no_connection', 'upload_incomplete'];
  const { queue, calls, last } = rig({
    complete: async () => {
      const code = failures.shift();
      if (code !== undefined) throw new Refusal(code);
    },
  });
  queue.add('a', file('tea.jpg'));
  await settled();
  expect(calls.filter((call) => call.startsWith('send'))).toEqual(['send /uploads/1', 'send /uploads/2']);
  expect(last('a')).toEqual({ kind: 'done', assetId: 'asset-2' });
});

test('what the server refuses is shown in its own words, and holds no other file up', async () => {
  const { queue, last } = rig({
    reserve: async ({ name }) => {
      if (name === 'big') throw new Refusal('plan_limit');
      return { assetId: name, uploadUrl: '/u' };
    },
  });
  queue.add('a', file('big'));
  queue.add('b', file('small'));
  await settled();
  expect(last('a')).toEqual({ kind: 'failed', message: 'refused: plan_limit' });
  expect(last('b')).toEqual({ kind: 'done', assetId: 'small' });
});

test('no more than three are sent at once, in the order in which they were added', async () => {
  const open: (() => void)[] = [];
  const { queue, kinds } = rig({
    send: () => new Promise((resolve) => open.push(() => resolve({ kind: 'sent' }))),
  });
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key, file(key));
  await settled();
  expect([open.length, kinds('d')]).toEqual([3, ['waiting']]);
  open[1]!();
  await settled();
  expect([open.length, kinds('d').at(-1)]).toEqual([4, 'sending']);
});

test('a cancelled upload is given back, nothing is told of it, and the next one starts', async () => {
  const { queue, calls, kinds } = rig({
    send: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  });
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key, file(key));
  await settled();
  const before = kinds('a');
  queue.cancel('a');
  await settled();
  expect([calls.at(-2), kinds('a'), kinds('d').at(-1)]).toEqual(['remove asset-1', before, 'sending']);
});
