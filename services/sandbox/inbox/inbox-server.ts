import { createServer } from 'node:https';
import { Listening, type ListeningOptions } from '#runtime/listening.ts';
import { plainHeaders, readBody, send } from '../server.ts';
import { refused } from '../control-fields.ts';
import type { Sandbox } from '../sandbox.ts';

/** Deliveries are smaller by far; what is larger shows how a sender takes a refusal. */
const MOST_BODY_BYTES = 1_048_576;

export interface InboxIdentity {
  /** PEM, for `INBOX_HOST`. */
  readonly certificate: string;
  readonly key: string;
  /** The machine's own time in milliseconds, which no operator moves: signatures carry it. */
  readonly wallNow: () => number;
}

/** Serves inboxes over https. `ending` lets go of those who wait for an inbox that hangs. */
export function createInboxServer(sandbox: Sandbox, identity: InboxIdentity, ending: AbortSignal, options: Omit<ListeningOptions, 'scheme'>): Listening {
  const server = createServer({ cert: identity.certificate, key: identity.key }, (message, response) => {
    const answer = async (): Promise<void> => {
      const body = await readBody(message, MOST_BODY_BYTES);
      response.shouldKeepAlive = false;
      if (body === null) return send(response, refused(413, 'too_large', `A body may have ${MOST_BODY_BYTES} bytes.`), true);
      const request = { method: message.method ?? 'GET', url: message.url ?? '/', headers: plainHeaders(message), body };
      const answered = await sandbox.receive(request, identity.wallNow());
      if (answered !== 'hang') return send(response, answered, message.method !== 'HEAD');
      const letGo = (): void => void message.socket.destroy();
      if (ending.aborted) letGo();
      ending.addEventListener('abort', letGo);
      response.once('close', () => ending.removeEventListener('abort', letGo));
    };
    answer().catch((error: unknown) => {
      if (message.complete) options.reporter.failure('sandbox-inbox', error);
      message.socket.destroy();
    });
  });
  return new Listening('inbox', server, { ...options, scheme: 'https' });
}
