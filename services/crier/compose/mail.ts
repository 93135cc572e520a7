import type { SmtpMailer, SmtpServer } from '#adapters/nodemailer/mailer.ts';
import type { Pools } from '#concurrency/pools.ts';
import type { Config } from '#config/config.ts';
import { isLoopback } from '#config/own-addresses.ts';
import { smtpAddressOf } from '#config/smtp-url.ts';
import type { Mailer } from '#ports/mailer.ts';
import { createMailInvitation, type MailInvitation } from '#services/app/people/invitations.ts';
import { disabledEndpointLetter } from '#services/app/people/letters.ts';
import { MailQueue } from '#services/app/people/mail-queue.ts';
import { SignInLinks } from '#services/app/people/sign-in-links.ts';
import type { FailingEndpoint } from '#tables/repositories/failing-endpoints.ts';
import { readHead } from '#tables/repositories/workspaces.ts';
import type { Ports } from './ports.ts';
import { createSandboxMailer } from './sandbox-mailer.ts';

const MAILING_ROLES = ['app', 'admin', 'webhooks'] as const;
/** Of one disabled endpoint. */
const MAX_TOLD = 20;

/** How invitations are mailed; null without a queue. */
export function createInvitationMail(ports: Ports, queue: MailQueue | null, publicUrl: string): MailInvitation | null {
  return queue === null
    ? null
    : createMailInvitation({ ...ports, links: new SignInLinks({ ...ports, publicUrl }), mail: queue });
}

/**
 * Mails to the Member behind a disabled endpoint, and to the owners of its Workspace, that nothing is sent to it any
 * more. What does not reach them is in the app as well.
 */
export function createDisabledEndpointMail(
  { store }: Pick<Ports, 'store'>,
  queue: Pick<MailQueue, 'addForWorkspace' | 'send'> | null,
  publicUrl: string,
): (disabled: FailingEndpoint) => void {
  return ({ workspaceId, endpointId, url, since, error }) => {
    queue?.addForWorkspace(workspaceId, async () => {
      const state = (await readHead(store, workspaceId))?.state;
      if (state === undefined) return;
      const memberId = state.endpoints[endpointId]?.memberId;
      const people = Object.values(state.members)
        .filter(({ removed, emailVerified }) => !removed && emailVerified)
        .filter(({ id, role }) => role === 'owner' || id === memberId)
        .slice(0, MAX_TOLD);
      const about = { url: `${publicUrl}/app/webhooks`, endpointUrl: url, failingSince: since, error };
      for (const { email } of people)
        await queue.send(disabledEndpointLetter({ ...about, to: email, workspaceName: state.name }), 'endpoint');
    });
  };
}

/** Null where no role of this process sends mail, or the installation has no mail server. */
export async function createMailQueue(
  config: Config,
  ports: Ports,
  { pools, sandboxUrl }: { readonly pools: Pools; readonly sandboxUrl: string },
): Promise<MailQueue | null> {
  if (!MAILING_ROLES.some((role) => config.roles.includes(role))) return null;
  const mailer = await mailerOf(config, ports, sandboxUrl);
  return mailer === null ? null : new MailQueue({ ...ports, pools, mailer });
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
