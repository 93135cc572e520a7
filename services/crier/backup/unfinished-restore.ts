import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PortError } from '#ports/errors.ts';

/** A file that a restore makes first in a data folder, and removes last: a folder that has it is not whole. */
export const RESTORING = 'restoring.json';

/** Throws `PortError` `refused` where a restore into the folder was cut off. */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (!existsSync(join(dataDir, RESTORING))) return;
  throw new PortError(
    'refused',
    `a restore into the data folder ${dataDir} did not end, so it is not whole: run crier restore again, which begins anew`,
  );
}
