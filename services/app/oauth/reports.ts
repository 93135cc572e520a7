import type { EventEmitter } from 'node:events';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Reporter } from '#reporting/reporter.ts';
import { isDocumentUnread } from './metadata-documents.ts';
import type { RecordStore } from './record-store.ts';

export interface ReportsOptions {
  readonly reporter: Reporter;
  readonly records: RecordStore;
  readonly noteUse: (approvalId: string) => void;
}

const DAY_MS = 86_400_000;
/**
 * A client that registered itself is kept for 30 days after its last approval is over, which is 30 days after the last
 * use of its refresh token; this is written at most once a day.
 */
const CLIENT_LIFE_MS = 60 * DAY_MS;
const CLIENT_RENEWAL_MS = CLIENT_LIFE_MS - DAY_MS;

interface RefusalError {
  readonly error?: unknown;
  readonly error_description?: unknown;
}

/** Tells the Reporter what the library did, and notes the use of approvals and clients. */
export function reportTo(provider: Provider, { reporter, records, noteUse }: ReportsOptions): void {
  const renew = (clientId: string): void => {
    records
      .renew('Client', clientId, { lifeMs: CLIENT_LIFE_MS, unlessMs: CLIENT_RENEWAL_MS })
      .catch((error: unknown) => reporter.failure('oauth-client-not-renewed', error, { clientId }));
  };
  const refused = (endpoint: 'authorize' | 'token' | 'register' | 'revoke') =>
    function report(ctx: KoaContextWithOIDC, error: RefusalError): void {
      const clientId = ctx.oidc.client?.clientId;
      const code = isDocumentUnread(error)
        ? 'temporarily_unavailable'
        : typeof error.error === 'string'
          ? error.error
          : 'server_error';
      reporter.report('oauth-refused', { endpoint, error: code, clientId });
      if (endpoint === 'register') reporter.report('app-registered', { outcome: 'refused' });
    };

  provider.on('authorization.error', refused('authorize'));
  provider.on('grant.error', refused('token'));
  provider.on('revocation.error', refused('revoke'));
  provider.on('registration_create.error', refused('register'));
  provider.on('registration_create.success', (_ctx, { clientId }) => {
    reporter.report('app-registered', { outcome: 'registered', clientId });
  });
  // An approval was given just now: its client stays, whether or not the code is used in time.
  provider.on('authorization.success', ({ oidc }) => renew(oidc.client!.clientId));
  provider.on('grant.success', ({ oidc }) => {
    const clientId = oidc.client!.clientId;
    const approvalId = oidc.entities.Grant?.jti;
    const refreshed = oidc.params?.['grant_type'] === 'refresh_token';
    reporter.report('app-tokens-issued', {
      grantType: refreshed ? 'refresh_token' : 'authorization_code',
      clientId,
      approvalId,
    });
    if (approvalId !== undefined) noteUse(approvalId);
    renew(clientId);
  });
  provider.on('server_error', (ctx, error) => {
    reporter.failure('oauth-failed', error, { endpoint: ctx.oidc?.route });
  });
  // Whatever escapes the library's own handlers; without a listener it would be printed.
  (provider as EventEmitter).on('error', (error) => reporter.failure('oauth-failed', error));
}
