import { hostname } from 'node:os';
import type { ClusterFacts } from '#services/admin/dependencies.ts';
import type { TableStore } from '#ports/table-store.ts';
import { readSchemaVersion } from '#tables/repositories/installation.ts';
import { Presence, type PresenceOptions } from '../presence/presence.ts';
import type { ProcessCore } from './process-core.ts';

/** Each life of a process is another instance: a row that it left behind is no other's. */
export function createPresence(
  { config, engine, ports }: Pick<ProcessCore, 'config' | 'engine' | 'ports'>,
  { version, onUnreadable }: { readonly version: string } & Pick<PresenceOptions, 'onUnreadable'>,
): Presence {
  const instance = `${hostname()}-${engine.ids.token(4)}`;
  return new Presence({
    ...ports,
    process: { instance, roles: config.roles, version },
    hasSoleProcess: engine.hasSoleProcess,
    onUnreadable,
  });
}

/** What operators are told of the processes of the installation. Rejects with `PortError`. */
export async function clusterStatus(
  store: TableStore,
  presence: Pick<Presence, 'view'>,
): ReturnType<ClusterFacts['status']> {
  const [{ processes, stored, step }, schemaVersion] = await Promise.all([presence.view(), readSchemaVersion(store)]);
  const { format, release: changedBy } = stored;
  const canRaiseTo = step.kind === 'raise' ? step.to : null;
  return { processes, schemaVersion, format, changedBy, canRaiseTo, why: step.why };
}
