import { createServer } from 'node:https';
import type { Clock } from '#ports/clock.ts';
import { Listening, type ListeningOptions } from '#runtime/listening.ts';
import { plainHeaders, readBody, send } from '../server.ts';
import { refused } from '../control-fields.ts';
import type { Sandbox } from '../sandbox.ts';

/** Deliveries are far smaller; a larger body shows how a sender handles a refusal. */
const MAX_BODY_BYTES = 1_048_576;

export interface InboxIdentity {
  /** PEM, for `INBOX_HOST`. */
  readonly certificate: string;
  readonly key: string;
}

export interface InboxServerOptions extends Omit<ListeningOptions, 'scheme'> {
  readonly identity: InboxIdentity;
  readonly clock: Pick<Clock, 'unmoved'>;
  /** When aborted, it ends the requests that wait for an inbox that hangs. */
  readonly ending: AbortSignal;
}

/** Serves inboxes over https. */
export function createInboxServer(
  sandbox: Sandbox,
  { identity, clock, ending, ...options }: InboxServerOptions,
): Listening {
  const server = createServer({ cert: identity.certificate, key: identity.key }, (message, response) => {
    const answer = async (): Promise<void> => {
      const body = await readBody(message, { limitBytes: MAX_BODY_BYTES });
      response.shouldKeepAlive = false;
      if (body === null)
        return send(response, refused(413, 'too_large', `A body may have ${MAX_BODY_BYTES} bytes.`), true);
      const request = {
        method: message.method ?? 'GET',
        url: message.url ?? '/',
        headers: plainHeaders(message),
        body,
      };
      const answered = await sandbox.receive(request, clock.unmoved());
      if (answered !== 'hang') return send(response, answered, message.method !== 'HEAD');
      const release = (): void => void message.socket.destroy();
      if (ending.aborted) release();
      ending.addEventListener('abort', release);
      response.once('close', () => ending.removeEventListener('abort', release));
    };
    answer().catch((error: unknown) => {
      if (message.complete) options.reporter.failure('sandbox-inbox-failed', error);
      message.socket.destroy();
    });
  });
  return new Listening('inbox', server, { ...options, scheme: 'https' });
}
