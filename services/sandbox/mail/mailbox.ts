import { shelf, type SandboxStore } from '../store/store.ts';

/** A mail that would have been sent to its address. */
export interface KeptMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly at: number;
}

export interface Mailbox {
  add(mail: KeptMail): void;
  /** Newest last; of every address when `to` is left out. Upper and lower case are alike. */
  list(to?: string): readonly KeptMail[];
}

const MAX_MAILS = 500;

/** The newest mails of the installation: an endless sender fills nothing. */
export function createMailbox(store: SandboxStore): Mailbox {
  const mails = shelf<KeptMail>(store, 'mail');
  const key = (sequence: number) => String(Math.max(0, sequence)).padStart(15, '0');
  let sequence = Number(mails.scan({ descending: true, limit: 1 })[0]?.key ?? 0);
  return {
    add(mail) {
      sequence += 1;
      mails.put(key(sequence), mail);
      mails.deleteBefore('', key(sequence - MAX_MAILS + 1));
    },
    list(to) {
      const all = mails.scan().map(({ value }) => value);
      return to === undefined ? all : all.filter((mail) => mail.to.toLowerCase() === to.toLowerCase());
    },
  };
}
