import { CANARY, CANARY_NETWORKS } from '#domain/canary.ts';
import { isActive } from '#domain/webhook/endpoint.ts';
import type { Credential } from '#domain/workspace/request-envelope.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { OperatorCommand, SendOperatorCommand } from '#commands/operator-command.ts';
import type { Ids } from '#ports/ids.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import { readHead } from '#tables/repositories/workspaces.ts';
import { newSecret } from '#use-cases/endpoints.ts';

export interface FurnishOptions {
  readonly store: TableStore;
  readonly ids: Ids;
  readonly secretBox: SecretBox;
  readonly sendCommand: SendOperatorCommand;
}

/** The Member whose Posts they are. Nobody can sign in: no mail is delivered to this domain. */
export const CANARY_MEMBER: Credential = { kind: 'member', memberId: CANARY.memberId };
const EMAIL = 'canary@crier.invalid';
const URL_OF_NO_HOST = 'https://canary.crier.invalid/';

/**
 * Makes what is missing of the canary's Workspace: itself, its Channels, its endpoint. Repeatable, by any process at
 * any time, since all ids are known beforehand. Null: all is there; else what was refused. Rejects with `PortError`.
 */
export async function furnish(options: FurnishOptions): Promise<string | null> {
  const head = await readHead(options.store, CANARY.workspaceId);
  for (const [command, credential] of missingOf(head?.state ?? null, options)) {
    const result = await options.sendCommand(CANARY.workspaceId, command, { credential });
    if (!result.ok) return `${command.type}: ${result.message}`;
  }
  return null;
}

type Missing = readonly [command: OperatorCommand, credential: Credential | null];

function missingOf(state: WorkspaceState | null, options: FurnishOptions): readonly Missing[] {
  const missing: Missing[] = [];
  if (state === null) {
    const owner = { memberId: CANARY.memberId, name: 'Canary', email: EMAIL, emailVerified: true };
    missing.push([{ type: 'CreateWorkspace', name: 'Canary', plan: 'agency', owner }, null]);
  }
  for (const network of CANARY_NETWORKS) {
    const channelId = CANARY.channels[network];
    if (state?.channels[channelId]?.state === 'connected') continue;
    const account = { name: 'Canary', avatarUrl: null, accountId: channelId, kind: '' };
    missing.push([{ type: 'ConnectChannel', channelId, network, ...account }, null]);
  }
  if (!isActive(state?.endpoints[CANARY.endpointId])) {
    const { sealedSecret } = newSecret(CANARY.endpointId, options);
    const endpoint = { endpointId: CANARY.endpointId, url: URL_OF_NO_HOST, events: ['variant.published'] as const };
    missing.push([{ type: 'RegisterEndpoint', ...endpoint, sealedSecret }, CANARY_MEMBER]);
  }
  return missing;
}
