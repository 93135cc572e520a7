import { createHousekeeping, type Chore } from '#adapters/node-cron/housekeeping.ts';
import type { Config } from '#config/config.ts';
import { removeOrphans, type OrphanOptions } from '#media/orphans.ts';
import type { Service } from '#runtime/service.ts';
import type { Ports } from './ports.ts';

export interface ProcessHousekeepingOptions {
  /** The engine's own. */
  readonly chores: readonly Chore[];
  readonly uploads: OrphanOptions['uploads'];
}

/** The chores of the engine; where the media role is on, also the removal of files that nothing names. */
export function createProcessHousekeeping(
  { roles }: Pick<Config, 'roles'>,
  { blobs, store, reporter }: Ports,
  { chores, uploads }: ProcessHousekeepingOptions,
): Service {
  const orphans = orphanChore({ blobs, store, uploads, reporter });
  return createHousekeeping(roles.includes('media') ? [...chores, orphans] : chores, reporter);
}

/** At night, when there is little other work: it reads the names of all files. */
function orphanChore(options: OrphanOptions): Chore {
  return { name: 'orphans', at: '41 3 * * *', run: async () => void (await removeOrphans(options)) };
}
