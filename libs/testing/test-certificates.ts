import { createAuthority, issueCertificate, type KeyAndCertificate } from '#adapters/node-crypto/certificates.ts';

const DAY_MS = 86_400_000;

/** The defect of a server's certificate. */
export type CertificateFault = 'none' | 'expired' | 'other name' | 'unknown authority';

export interface ServerIdentity extends KeyAndCertificate {
  /** PEM of the authority that clients are to trust. With `unknown authority` it is not the one that signed. */
  readonly ca: string;
}

/**
 * A new authority, and a server certificate under it for `names` (`*.hooks.test`: all names below it). Valid from
 * yesterday to tomorrow by the machine's clock.
 */
export function createServerIdentity(names: readonly string[], fault: CertificateFault = 'none'): ServerIdentity {
  const now = Date.now();
  const validity = { fromMs: now - DAY_MS, untilMs: now + DAY_MS };
  const wrongNames = ['elsewhere.test'];
  const roots = names.map((name) => name.replace(/^\*\./, ''));
  const authority = createAuthority('Crier test authority', [...roots, ...wrongNames], validity);
  const signer = fault === 'unknown authority' ? createAuthority('Crier test authority', roots, validity) : authority;
  const own = fault === 'expired' ? { fromMs: now - 2 * DAY_MS, untilMs: now - DAY_MS } : validity;
  return { ...issueCertificate(signer, fault === 'other name' ? wrongNames : names, own), ca: authority.certificate };
}
