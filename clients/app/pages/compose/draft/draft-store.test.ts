import { expect, test } from 'vitest';
import { emptyDraft } from './compose-draft.ts';
import { DraftStore, type DraftStorage } from './draft-store.ts';

const ADA = { workspaceId: 'w1', memberId: 'ada' };

function memoryStorage(maxCharacters = Infinity): DraftStorage & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    get length() {
      return entries.size;
    },
    key: (index) => [...entries.keys()][index] ?? null,
    getItem: (name) => entries.get(name) ?? null,
    removeItem: (name) => void entries.delete(name),
    setItem: (name, value) => {
      if (value.length > maxCharacters) throw new DOMException('full', 'QuotaExceededError');
      entries.set(name, value);
    },
  };
}

test('what was written is read again as it was, by another page too', () => {
  const storage = memoryStorage();
  const draft = { ...emptyDraft('d1', 5), text: 'Tea 🍵', channelIds: ['c1'], options: { c1: { text: '' } } };
  new DraftStore(storage, ADA).write(draft);
  expect(new DraftStore(storage, ADA).read('d1')).toEqual(draft);
});

test('several drafts are kept, the newest first', () => {
  const store = new DraftStore(memoryStorage(), ADA);
  store.write(emptyDraft('old', 1));
  store.write(emptyDraft('new', 9));
  store.write({ ...emptyDraft('old', 2), text: 'again' });
  expect(store.list().map(({ id, text }) => [id, text])).toEqual([
    ['new', ''],
    ['old', 'again'],
  ]);
  store.remove('new');
  expect(store.list().map(({ id }) => id)).toEqual(['old']);
});

test('nobody sees the drafts of another Member or Workspace', () => {
  const storage = memoryStorage();
  new DraftStore(storage, ADA).write(emptyDraft('d1', 1));
  for (const owner of [
    { ...ADA, memberId: 'bob' },
    { ...ADA, workspaceId: 'w2' },
  ]) {
    const store = new DraftStore(storage, owner);
    expect([store.list(), store.read('d1')]).toEqual([[], null]);
  }
});

test('a draft that is broken, or of another build, is passed over and not destroyed', () => {
  const storage = memoryStorage();
  const store = new DraftStore(storage, ADA);
  store.write(emptyDraft('good', 1));
  const [name] = [...storage.entries.keys()];
  storage.setItem(name!.replace('good', 'cut'), '{"id":"cut","te');
  storage.setItem(name!.replace('good', 'odd'), '{"id":"odd"}');
  expect(store.list().map(({ id }) => id)).toEqual(['good']);
  expect(storage.entries.size).toBe(3);
});

test('a browser without room says so, and keeps what it had', () => {
  const store = new DraftStore(memoryStorage(400), ADA);
  expect(store.write(emptyDraft('d1', 1))).toBe(true);
  expect(store.write({ ...emptyDraft('d1', 2), text: 'x'.repeat(400) })).toBe(false);
  expect(store.read('d1')?.text).toBe('');
});
