import { shelf, type SandboxStore } from '../store/store.ts';

/** The host of every inbox: `https://inbox.sandbox/<name>`. It exists for the process that serves it only. */
export const INBOX_HOST = 'inbox.sandbox';
export const INBOX_NAME = /^[a-z\d][a-z\d-]{0,39}$/;

/** What an inbox answers: a status, nothing at all, or another address. */
export const INBOX_ANSWERS = ['200', '500', 'hang', 'redirect'] as const;
export type InboxAnswer = (typeof INBOX_ANSWERS)[number];

export interface InboxEvent {
  readonly number: number;
  /** By the machine's own clock. */
  readonly receivedAt: number;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64, so that signatures can be checked over the very bytes. */
  readonly body: string;
  /** Of the body as it came; more than `body` holds when it was cut. */
  readonly bytes: number;
  readonly isCut: boolean;
  readonly answered: InboxAnswer;
}

export interface Inbox {
  readonly name: string;
  readonly answer: InboxAnswer;
  /** '' = not told. */
  readonly secret: string;
  /** How many letters ever came. */
  readonly received: number;
}

export interface Inboxes {
  /** By name. */
  list(): readonly Inbox[];
  /** As it is, or as it would begin. */
  open(name: string): Inbox;
  /** Newest last. */
  letters(name: string): readonly InboxEvent[];
  /** Both return false when there are as many inboxes as there may be. */
  change(name: string, changes: Partial<Pick<Inbox, 'answer' | 'secret'>>): boolean;
  add(name: string, letter: Omit<InboxEvent, 'number'>): boolean;
  remove(name: string): void;
}

const MAX_INBOXES = 100;
const MAX_LETTERS = 50;
/** Of the bodies of one inbox together. */
const MAX_KEPT_BYTES = 4 * 1_048_576;

interface Kept extends Inbox {
  /** The letters there are, oldest first: their bodies need not be read to know which ones must go. */
  readonly held: readonly { readonly number: number; readonly bytes: number }[];
}

/** What came to inboxes: of each the newest letters, so that a sender without end fills nothing. */
export function createInboxes(store: SandboxStore): Inboxes {
  const inboxes = shelf<Kept>(store, 'inboxes');
  const letters = shelf<InboxEvent>(store, 'inbox-letters');
  const keyOf = (name: string, number: number) => `${name}/${String(number).padStart(12, '0')}`;
  const keptOf = (name: string): Kept =>
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
