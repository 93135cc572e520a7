import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startSmtpServer } from '#adapters/nodemailer/smtp-server.fixture.ts';
import { createServerIdentity } from '#testing/test-certificates.ts';
import type { Settings } from '../crier-server.ts';
import { FRIENDLY, HARMFUL, openHosts, type HostKind, type HostsOrder, type HostsReady } from './answering-hosts.ts';

export interface TenantHosts {
  /** Settings by which a server of Crier finds and trusts them. */
  readonly settings: Settings;
  /** Each number is a host of its own. */
  urlOf(kind: HostKind, number: number, path?: string): string;
  /** Settings by which it mails by a server that takes a second for each mail; without them the sandbox shows mails. */
  readonly mailSettings: Settings;
  /** What that mail server has received for an address, oldest first. */
  mailsTo(address: string): Promise<readonly string[]>;
  /**
   * Resolves when `hook` has received the event of this id, or the mail server has the content of a mail to this
   * address. Rejects past the deadline.
   */
  arrived(what: string, withinMs: number): Promise<void>;
  /** From now on, or no longer, the hosts of an attack do harm; otherwise they answer 404 at once. */
  setHarmful(isHarmful: boolean): void;
  close(): Promise<void>;
}

const HOSTS = 64;
const MAIL_TAKES_MS = 1_000;
const HARMFUL_HOSTS = resolve(import.meta.dirname, 'harmful-hosts.ts');

/**
 * Hosts that tenants name. Those of an attack are a process of their own: to take many connections would otherwise
 * delay the victim's side, which measures.
 */
export async function startTenantHosts(): Promise<TenantHosts> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-bench-hosts-'));
  const authority = join(folder, 'authority.pem');
  const identity = createServerIdentity(['tenants.test', '*.tenants.test']);
  writeFileSync(authority, identity.ca);
  const arrivals = new Map<string, PromiseWithResolvers<void>>();
  const arrivalOf = (what: string): PromiseWithResolvers<void> => {
    const known = arrivals.get(what) ?? Promise.withResolvers<void>();
    arrivals.set(what, known);
    return known;
  };
  const friendly = await openHosts({ ...identity, onEvent: (eventId) => arrivalOf(eventId).resolve() });
  const mail = await startSmtpServer({
    takesMs: MAIL_TAKES_MS,
    onMail: ({ to }) => to.forEach((address) => arrivalOf(address).resolve()),
  });
  const harmful = fork(HARMFUL_HOSTS);
  const order = (given: HostsOrder): void => void harmful.send(given);
  order({ kind: 'open', certificate: identity.certificate, key: identity.key });
  const [{ port }] = (await once(harmful, 'message')) as [HostsReady];
  const portOf = (kind: HostKind): number => ((HARMFUL as readonly HostKind[]).includes(kind) ? port : friendly.port);
  const overrides = [...FRIENDLY, ...HARMFUL].flatMap((kind) =>
    Array.from({ length: HOSTS }, (_, number) => `${kind}${number}.tenants.test=127.0.0.1:${portOf(kind)}`),
  );
  return {
    settings: { CRIER_EGRESS_OVERRIDES: overrides.join(), NODE_EXTRA_CA_CERTS: authority },
    mailsTo: async (address) =>
      mail.mails.filter(({ to }) => to.includes(address)).map(({ content }) => fromQuotedPrintable(content)),
    mailSettings: { CRIER_SMTP_URL: `smtp://127.0.0.1:${mail.port}`, CRIER_MAIL_FROM: 'Crier <crier@tenants.test>' },
    urlOf: (kind, number, path = '/') => `https://${kind}${number % HOSTS}.tenants.test${path}`,
    arrived: async (what, withinMs) => {
      const { promise, reject } = arrivalOf(what);
      const late = setTimeout(() => reject(new Error(`${what} did not arrive within ${withinMs} ms`)), withinMs);
      await promise.finally(() => {
        clearTimeout(late);
        arrivals.delete(what);
      });
    },
    setHarmful: (isHarmful) => order({ kind: 'harm', isHarmful }),
    close: async () => {
      const ended = once(harmful, 'exit');
      harmful.disconnect();
      await Promise.all([friendly.close(), mail[Symbol.asyncDispose](), ended]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** As mails are sent (RFC 2045, 6.7); the text of ours is ASCII where links are. */
function fromQuotedPrintable(content: string): string {
  return content
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
