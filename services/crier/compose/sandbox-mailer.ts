import { PortError } from '#ports/errors.ts';
import { HttpFailure, type HttpClient } from '#ports/http-client.ts';
import type { Mailer } from '#ports/mailer.ts';

const TIMEOUT_MS = 10_000;

/** A Mailer that hands mail to the sandbox, which shows it to people and tests instead of sending it. */
export function createSandboxMailer(http: HttpClient, sandboxUrl: string): Mailer {
  return {
    send: async ({ to, subject, text, html }) => {
      const status = await http
        .send({
          method: 'POST',
          url: `${sandboxUrl}/sandbox/mail`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ to, subject, text, html }),
          timeoutMs: TIMEOUT_MS,
        })
        .then(
          (answer) => answer.status,
          (error: unknown) => {
            if (!(error instanceof HttpFailure)) throw error;
            throw new PortError(error.sent ? 'unknown' : 'unavailable', `the sandbox: ${error.message}`, {
              cause: error,
            });
          },
        );
      if (status !== 201)
        throw new PortError(status >= 500 ? 'unavailable' : 'refused', `the sandbox took no mail: ${status}`);
    },
    close: async () => {},
  };
}
