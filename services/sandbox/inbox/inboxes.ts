import { shelf, type SandboxStore } from '../store/store.ts';

/** The host of every inbox: `https://inbox.sandbox/<name>`. Only the process that serves it knows it. */
export const INBOX_HOST = 'inbox.sandbox';
export const INBOX_NAME = /^[a-z\d][a-z\d-]{0,39}$/;

/** The answer of an inbox: a status, nothing at all, or a redirect. */
export const INBOX_ANSWERS = ['200', '500', 'hang', 'redirect'] as const;
export type InboxAnswer = (typeof INBOX_ANSWERS)[number];

export interface InboxEvent {
  readonly number: number;
  /** By the machine's own clock. */
  readonly receivedAt: number;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64, so that signatures can be checked over the exact bytes. */
  readonly body: string;
  /** Size of the body as received; more than `body` holds when it was cut. */
  readonly bytes: number;
  readonly isCut: boolean;
  readonly answered: InboxAnswer;
}

export interface Inbox {
  readonly name: string;
  readonly answer: InboxAnswer;
  /** '' = not set. */
  readonly secret: string;
  /** The number of letters ever received. */
  readonly received: number;
}

export interface Inboxes {
  /** By name. */
  list(): readonly Inbox[];
  /** The inbox, or a new one of that name. */
  open(name: string): Inbox;
  /** Newest last. */
  letters(name: string): readonly InboxEvent[];
  /** Both return false when the number of inboxes is at its limit. */
  change(name: string, changes: Partial<Pick<Inbox, 'answer' | 'secret'>>): boolean;
  add(name: string, letter: Omit<InboxEvent, 'number'>): boolean;
  remove(name: string): void;
}

const MAX_INBOXES = 100;
const MAX_LETTERS = 50;
/** The bytes of the bodies of one inbox together. */
const MAX_KEPT_BYTES = 4 * 1_048_576;

interface StoredInbox extends Inbox {
  /** The stored letters, oldest first: their bodies need not be read to choose those to delete. */
  readonly held: readonly { readonly number: number; readonly bytes: number }[];
}

/** The letters of inboxes: the newest of each, so that an endless sender fills nothing. */
export function createInboxes(store: SandboxStore): Inboxes {
  const inboxes = shelf<StoredInbox>(store, 'inboxes');
  const letters = shelf<InboxEvent>(store, 'inbox-letters');
  const keyOf = (name: string, number: number) => `${name}/${String(number).padStart(12, '0')}`;
  const keptOf = (name: string): StoredInbox =>
    inboxes.get(name) ?? { name, answer: '200', secret: '', received: 0, held: [] };
  const hasRoom = (name: string) => inboxes.get(name) !== null || inboxes.scan().length < MAX_INBOXES;
  return {
    list: () => inboxes.scan().map(({ value }) => value),
    open: keptOf,
    letters: (name) => letters.scan({ prefix: `${name}/` }).map(({ value }) => value),
    change(name, changes) {
      if (!hasRoom(name)) return false;
      inboxes.put(name, { ...keptOf(name), ...changes });
      return true;
    },
    add(name, letter) {
      if (!hasRoom(name)) return false;
      const kept = keptOf(name);
      const number = kept.received + 1;
      letters.put(keyOf(name, number), { ...letter, number });
      const held = [...kept.held, { number, bytes: letter.body.length }];
      let total = held.reduce((sum, { bytes }) => sum + bytes, 0);
      while (held.length > MAX_LETTERS || total > MAX_KEPT_BYTES) {
        const oldest = held.shift()!;
        total -= oldest.bytes;
        letters.delete(keyOf(name, oldest.number));
      }
      inboxes.put(name, { ...kept, received: number, held });
      return true;
    },
    remove(name) {
      for (const { number } of keptOf(name).held) letters.delete(keyOf(name, number));
      inboxes.delete(name);
    },
  };
}
