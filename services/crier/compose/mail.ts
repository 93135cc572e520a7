import type { SmtpMailer, SmtpServer } from '#adapters/nodemailer/mailer.ts';
import type { Config } from '#config/config.ts';
import { isLoopback } from '#config/own-addresses.ts';
import { smtpAddressOf } from '#config/smtp-url.ts';
import type { Mailer } from '#ports/mailer.ts';
import { createMailInvitation, type MailInvitation } from '#services/app/people/invitations.ts';
import { MailQueue } from '#services/app/people/mail-queue.ts';
import { SignInLinks } from '#services/app/people/sign-in-links.ts';
import type { Ports } from './ports.ts';
import { createSandboxMailer } from './sandbox-mailer.ts';

/** How invitations are mailed; null without a queue. */
export function createInvitationMail(ports: Ports, queue: MailQueue | null, publicUrl: string): MailInvitation | null {
  return queue === null
    ? null
    : createMailInvitation({ ...ports, links: new SignInLinks({ ...ports, publicUrl }), mail: queue });
}

/** Null where no role of this process sends mail, or the installation has no mail server. */
export async function createMailQueue(config: Config, ports: Ports, sandboxUrl: string): Promise<MailQueue | null> {
  if (!config.roles.includes('app') && !config.roles.includes('admin')) return null;
  const mailer = await mailerOf(config, ports, sandboxUrl);
  return mailer === null ? null : new MailQueue({ ...ports, mailer });
}

async function mailerOf(config: Config, { http }: Ports, sandboxUrl: string): Promise<Mailer | null> {
  return (await smtpMailerOf(config)) ?? (config.networks === 'sandbox' ? createSandboxMailer(http, sandboxUrl) : null);
}

/** Null: CRIER_SMTP_URL is not set. Then the library is not loaded either, which would slow the start down. */
export async function smtpMailerOf(config: Config): Promise<SmtpMailer | null> {
  const address = config.smtpUrl === null ? null : smtpAddressOf(config.smtpUrl);
  if (address === null) return null;
  const server: SmtpServer = {
    ...address,
    // A password goes to other machines over TLS alone.
    requireStartTls: !address.tls && address.signIn !== null && !isLoopback(address.host),
  };
  const { createMailer } = await import('#adapters/nodemailer/mailer.ts');
  return createMailer({ server, from: config.mailFrom });
}
