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
 * What proves that the sandbox's inboxes are who they say, and the authority behind it. That one is made at first
 * start, kept beside the data, readable by its owner only, can vouch for this one name, and is trusted by this
 * process's own deliveries and nothing else. `wallNow`: certificates are judged by the machine's clock.
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
