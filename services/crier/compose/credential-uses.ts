import { createCredentialUses, type CredentialUses } from '#tables/repositories/credential-uses.ts';
import type { Ports } from './ports.ts';

/** Notes when API keys and approvals are used. What can not be noted is reported, and holds nobody up. */
export function credentialUsesOf({ store, clock, ids, reporter }: Ports): CredentialUses {
  const failed = (credentialId: string, error: unknown): void =>
    reporter.failure('credential-use-not-noted', error, { credentialId });
  return createCredentialUses({ store, clock, ids, failed });
}
