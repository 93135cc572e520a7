import { join } from 'node:path';
import { createAuthority, issueCertificate, type KeyAndCertificate } from '#adapters/node-crypto/certificates.ts';
import { INBOX_HOST } from '#services/sandbox/inbox/inboxes.ts';
import { readPrivate, writePrivate } from '../engines/secrets.ts';

const FILE = 'inbox-authority.json';
const DAY_MS = 86_400_000;
const AUTHORITY_MS = 20 * 365 * DAY_MS;
/** A certificate is issued at each start, so it has to last for one run. */
const CERTIFICATE_MS = 5 * 365 * DAY_MS;

/**
 * The certificate of the sandbox's inboxes, and the authority that signs it. The authority is made at the first start
 * and kept in the data folder, readable by its owner only. It can sign certificates for this one name, and only
 * deliveries of this process trust it. `wallNow`: certificates are checked against the machine's clock.
 */
export function loadInboxIdentity(dataDir: string, wallNow: number): KeyAndCertificate & { readonly ca: string } {
  const path = join(dataDir, FILE);
  const fromMs = wallNow - DAY_MS;
  const kept = readPrivate<KeyAndCertificate & { readonly untilMs: number }>(path);
  const isLasting = kept !== null && kept.untilMs > wallNow + CERTIFICATE_MS;
  const authority = isLasting
    ? kept
    : {
        ...createAuthority('Crier sandbox inbox', [INBOX_HOST], { fromMs, untilMs: fromMs + AUTHORITY_MS }),
        untilMs: fromMs + AUTHORITY_MS,
      };
  if (!isLasting) writePrivate(path, authority);
  return {
    ...issueCertificate(authority, [INBOX_HOST], { fromMs, untilMs: wallNow + CERTIFICATE_MS }),
    ca: authority.certificate,
  };
}
