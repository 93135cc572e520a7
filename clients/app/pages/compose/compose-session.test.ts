import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ComposeSession } from './compose-session.ts';
import { emptyDraft, idempotencyKeyOf } from './draft/compose-draft.ts';
import { chooseChannels } from './draft/draft-changes.ts';
import { DraftStore } from './draft/draft-store.ts';
import type { UploadQueueOptions } from './uploads/upload-queue.ts';

const ADA = { workspaceId: 'w', memberId: 'ada' };

// A browser's; it never loads, so nothing is known of a picture.
beforeEach(() => vi.stubGlobal('Image', EventTarget));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function storage() {
  const entries = new Map<string, string>();
  return {
    get length() {
      return entries.size;
    },
    key: (index: number) => [...entries.keys()][index] ?? null,
    getItem: (name: string) => entries.get(name) ?? null,
    removeItem: (name: string) => void entries.delete(name),
    setItem: (name: string, value: string) => void entries.set(name, value),
  };
}

/** Two tabs in which one draft is open. A file is sent once `sent` resolves for the tab that sends it. */
function twoTabs(sent: (tab: string) => Promise<void> = async () => {}) {
  let now = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => ++now);
  const store = new DraftStore(storage(), ADA);
  const removed: string[] = [];
  const uploads = (tab: string): Omit<UploadQueueOptions, 'onState'> => ({
    reserve: async ({ name }) => ({ assetId: `${tab} ${name}`, uploadUrl: 'https://a.test/' }),
    complete: async () => {},
    remove: async (assetId) => void removed.push(assetId),
    send: async () => {
      await sent(tab);
      return { kind: 'sent' };
    },
    problemOf: () => ({ code: 'unexpected', message: 'no', isPassing: false }),
    untilNextTry: async () => {},
  });
  const open = (tab: string) => new ComposeSession({ draft: emptyDraft('d', 0), store, uploads: uploads(tab) });
  return { first: open('first'), second: open('second'), open, store, removed };
}

const picture = (name: string): File => new File(['x'], name, { type: 'image/png' });

test('what one tab writes of a draft is not overwritten by another tab in which it is open', () => {
  const { first, second, store } = twoTabs();
  first.change((draft) => ({ ...draft, text: 'An hour of work' }));
  second.change(chooseChannels(['c']));
  expect(store.read('d')).toMatchObject({ text: 'An hour of work', channelIds: ['c'] });
  first.catchUp();
  expect(first.state().draft).toEqual(second.state().draft);
});

test('a draft that another tab has sent is in doubt here, and is not sent as if it were another one', () => {
  const { first, second, store } = twoTabs();
  first.change((draft) => ({ ...draft, text: 'Once' }));
  second.catchUp();
  const { savedAt } = second.state().draft;
  first.discard({ removesUploads: false });
  second.catchUp();
  // From the last moment at which it was surely not sent: the server knows its key for a day.
  expect(second.state().draft).toMatchObject({ text: 'Once', isInDoubt: true, sentAt: savedAt });
  second.change(chooseChannels(['c']));
  expect(store.read('d')).toMatchObject({ isInDoubt: true, sentAt: savedAt });
});

test('what is written at the address of a draft that was sent is another Post, with a key of its own', () => {
  const { first, open, store } = twoTabs();
  first.change((draft) => ({ ...draft, text: 'First' }));
  const sent = idempotencyKeyOf(first.state().draft);
  first.discard({ removesUploads: false });
  const next = open('back');
  next.change((draft) => ({ ...draft, text: 'Second' }));
  const key = idempotencyKeyOf(next.state().draft);
  expect(key).not.toBe(sent);
  // Also after the page was loaded anew.
  expect(idempotencyKeyOf(store.read('d')!)).toBe(key);
});

test('tabs in which one draft was opened before anything was kept of it send it with one key', () => {
  const { first, second } = twoTabs();
  first.change((draft) => ({ ...draft, text: 'Once' }));
  second.change(chooseChannels(['c']));
  expect(idempotencyKeyOf(second.state().draft)).toBe(idempotencyKeyOf(first.state().draft));
});

test('a draft that an older page has sent and kept is sent again with the key that it had then', () => {
  const { key: _, ...kept } = emptyDraft('d', 1);
  expect(idempotencyKeyOf(kept)).toBe('compose-d');
});

test('a draft that was never kept is in no doubt', () => {
  const { second } = twoTabs();
  second.catchUp();
  expect(second.state().draft.isInDoubt).toBe(false);
});

test('an upload that ends in a tab in the background keeps the words that were written in another one meanwhile', async () => {
  const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>();
  const { first, second, store } = twoTabs((tab) => (tab === 'first' ? arrives : Promise.resolve()));
  first.addFiles([picture('a.png')]);
  second.change((draft) => ({ ...draft, text: 'Words' }));
  arrive();
  await vi.waitFor(() => expect(store.read('d')?.files[0]?.source).toMatchObject({ assetId: 'first a.png' }));
  expect(store.read('d')).toMatchObject({ text: 'Words' });
});

test('a file that another tab has removed is not sent any more', async () => {
  const { promise: never } = Promise.withResolvers<void>();
  const { first, second, removed } = twoTabs(() => never);
  first.change((draft) => ({ ...draft, text: 'Words' }));
  const [file] = first.addFiles([picture('a.png')]);
  await vi.waitFor(() => expect(first.state().uploads.get(file!.key)?.kind).toBe('sending'));
  second.catchUp();
  second.removeFile(file!.key);
  first.catchUp();
  expect([first.state().draft.files, first.state().uploads.size]).toEqual([[], 0]);
  expect(removed).toEqual(['first a.png']);
});
