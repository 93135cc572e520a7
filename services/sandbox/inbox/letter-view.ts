import { INBOX_HOST, type Inbox, type InboxAnswer, type InboxEvent } from './inboxes.ts';
import { verdictOf, type SignatureVerdict } from './signature.ts';

/** A letter as people and tests see it. */
export interface LetterView {
  readonly number: number;
  readonly receivedAt: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As text; bytes that are not UTF-8 become replacement characters. */
  readonly body: string;
  readonly bytes: number;
  readonly isCut: boolean;
  readonly eventId: string | null;
  readonly signature: SignatureVerdict;
  readonly answered: InboxAnswer;
}

export const addressOf = (name: string): string => `https://${INBOX_HOST}/${name}`;

/** Judged with the inbox's present secret, so it can be set after the letters arrived. */
export function viewOf(letter: InboxEvent, { secret }: Inbox): LetterView {
  const { number, receivedAt, method, headers, bytes, isCut, answered } = letter;
  const body = Buffer.from(letter.body, 'base64');
  const signature =
    secret === ''
      ? 'unknown'
      : isCut
        ? 'cut'
        : verdictOf({ header: headers['service-signature'], body, receivedAt }, secret);
  return {
    ...{ number, receivedAt: new Date(receivedAt).toISOString(), method, headers, body: body.toString(), bytes, isCut },
    ...{ eventId: headers['service-event-id'] ?? null, signature, answered },
  };
}
