import { type Incoming, type SandboxAnswer, json } from '../exchange.ts';
import { refused } from '../control-fields.ts';
import { INBOX_HOST, INBOX_NAME, type Inboxes } from './inboxes.ts';

/** Larger bodies are stored up to this size; the server limits the size that it reads. */
const MAX_KEPT_BYTES = 256 * 1024;
const MAX_HEADERS = 60;
const MAX_HEADER_CHARACTERS = 1_000;

export interface InboxDelivery {
  readonly request: Incoming;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly receivedAt: number;
}

/** Stores a request to `https://inbox.sandbox/<name>` and gives the inbox's answer; `hang`: no answer is given. */
export function receiveLetter(
  inboxes: Inboxes,
  { request, headers, receivedAt }: InboxDelivery,
): SandboxAnswer | 'hang' {
  const [name = '', ...more] = request.segments;
  if (!INBOX_NAME.test(name) || more.length > 0)
    return refused(404, 'not_found', 'An inbox is one word of small letters, digits and dashes.');
  const { answer } = inboxes.open(name);
  const kept = request.bytes.subarray(0, MAX_KEPT_BYTES);
  const shown = Object.entries(headers)
    .slice(0, MAX_HEADERS)
    .map(([header, value]) => [header, (value ?? '').slice(0, MAX_HEADER_CHARACTERS)]);
  const isKept = inboxes.add(name, {
    receivedAt,
    method: request.method,
    headers: Object.fromEntries(shown) as Record<string, string>,
    body: Buffer.from(kept).toString('base64'),
    bytes: request.bytes.length,
    isCut: kept.length < request.bytes.length,
    answered: answer,
  });
  if (!isKept) return refused(507, 'too_many', 'There are as many inboxes as there may be.');
  switch (answer) {
    case '200':
      return json(200, { received: true });
    case '500':
      return json(500, { received: false });
    case 'hang':
      return 'hang';
    case 'redirect':
      return { status: 302, headers: { location: `https://${INBOX_HOST}/${name}/elsewhere` }, body: '' };
  }
}
