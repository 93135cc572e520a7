import { createTransport } from 'nodemailer';
import { PortError } from '#ports/errors.ts';
import type { Mail, Mailer } from '#ports/mailer.ts';
import { portErrorOf } from './port-error.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS where the server offers it. */
  readonly tls: boolean;
  /** Without `tls`: sends nothing unless STARTTLS succeeds. */
  readonly requireStartTls: boolean;
  /** Null: the server asks for none. */
  readonly signIn: { readonly user: string; readonly password: string } | null;
}

export interface MailerOptions {
  readonly server: SmtpServer;
  /** As mail shows it, e.g. `Crier <crier@example.com>`. */
  readonly from: string;
  /** PEM of an authority that is trusted instead of the public ones; for tests. */
  readonly ca?: string;
  /** The longest silence of the server; connecting, its greeting included, may take half of it. Default: 20 s. */
  readonly timeoutMs?: number;
}

export interface SmtpMailer extends Mailer {
  /** Connects and signs in, and sends nothing. Rejects with `PortError`. */
  check(): Promise<void>;
}

const TIMEOUT_MS = 20_000;

/** A Mailer that hands mail to an SMTP server, over a connection of its own for each. */
export function createMailer({ server, from, ca, timeoutMs = TIMEOUT_MS }: MailerOptions): SmtpMailer {
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.tls,
    requireTLS: server.requireStartTls,
    ...(server.signIn === null ? {} : { auth: { user: server.signIn.user, pass: server.signIn.password } }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    // Shorter than the socket's: of two timers due at once the socket's could fire first, and its error does not tell
    // a server that never greeted, which has no mail, from one that fell silent with the mail.
    connectionTimeout: timeoutMs / 2,
    greetingTimeout: timeoutMs / 2,
    dnsTimeout: timeoutMs / 2,
    socketTimeout: timeoutMs,
    // A mail has texts alone: nothing in it may make the library read a file or ask an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  let isClosed = false;
  const call = async (work: () => Promise<unknown>): Promise<void> => {
    if (isClosed) throw new PortError('unavailable', 'the mailer is closed');
    try {
      await work();
    } catch (error) {
      throw portErrorOf(error as Error, `${server.host}:${server.port}`);
    }
  };
  return {
    send: ({ to, subject, text, html }: Mail) =>
      call(() =>
        transport.sendMail({
          from,
          // As an object it is one address, whatever commas and brackets are in it.
          to: { name: '', address: to },
          subject,
          text,
          html,
          // Keeps other servers from answering it: nobody reads those answers.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        }),
      ),
    check: () => call(() => transport.verify()),
    close: async () => {
      isClosed = true;
      transport.close();
    },
  };
}
