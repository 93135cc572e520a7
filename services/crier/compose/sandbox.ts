import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { tighten } from '#adapters/sqlite/private-files.ts';
import type { EgressOverride } from '#adapters/undici/public-http.ts';
import type { Config } from '#config/config.ts';
import type { OwnAddresses } from '#config/own-addresses.ts';
import { INBOX_HOST } from '#services/sandbox/inbox/inboxes.ts';
import { createSandboxService, type SandboxService, type SandboxServiceOptions } from '#services/sandbox/service.ts';
import { callbackAddress } from './callback-address.ts';
import type { Engine } from '../engines/engine.ts';
import { loadInboxIdentity } from './inbox-identity.ts';
import { filesFrom } from './sandbox-files.ts';

export interface SandboxRole {
  /** Null where the role is off, or Networks are live. */
  readonly service: SandboxService | null;
  /**
   * Where deliveries of this process find the sandbox's inboxes, and which authority they trust there. Empty until the
   * sandbox listens, as its inboxes take any free port.
   */
  readonly overrides: () => readonly EgressOverride[];
}

export interface SandboxRoleOptions extends Pick<SandboxServiceOptions, 'download' | 'reporter'> {
  readonly addresses: Pick<OwnAddresses, 'mediaUrl' | 'publicUrl'>;
}

/**
 * Inboxes are served by an embedded process only: their port and their authority are known to deliveries of the same
 * process, and to no other.
 */
export function createSandboxRole(
  config: Config,
  { clock, ids }: Engine,
  { download, reporter, addresses }: SandboxRoleOptions,
): SandboxRole {
  if (!config.roles.includes('sandbox') || config.networks !== 'sandbox') return { service: null, overrides: () => [] };
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  tighten(config.dataDir, ['sandbox.db', 'sandbox-files']);
  const publicUrl = config.sandboxPublicUrl ?? config.sandboxUrl;
  const identity = config.engine === 'embedded' ? loadInboxIdentity(config.dataDir, clock.unmoved()) : null;
  const service = createSandboxService({
    requiresUserAgent: true,
    clock,
    ids,
    download:
      config.sandboxFilesUrl === null
        ? download
        : filesFrom(config.sandboxFilesUrl, { mediaUrl: addresses.mediaUrl, download }),
    reporter,
    host: config.sandboxHost,
    port: config.sandboxPort,
    file: join(config.dataDir, 'sandbox.db'),
    mediaUrl: () => addresses.mediaUrl,
    redirectUris: (network) => [callbackAddress(addresses.publicUrl, network)],
    ...(publicUrl === null ? {} : { publicUrl }),
    ...(config.sandboxUrl === null ? {} : { internalUrl: config.sandboxUrl }),
    ...(identity === null ? {} : { inbox: identity }),
  });
  const overrides = (): readonly EgressOverride[] => {
    const address = service.inboxAddress();
    return identity === null || address === null
      ? []
      : [{ name: INBOX_HOST, host: address.host, port: address.port, ca: identity.ca }];
  };
  return { service, overrides };
}
