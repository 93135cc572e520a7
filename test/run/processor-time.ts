import { existsSync, readFileSync } from 'node:fs';

const STAT = '/proc/self/stat';
/** Linux counts in hundredths of a second, whatever the kernel's own clock. */
const TICKS_A_SECOND = 100;
/** Where the fields of that file stand behind the name of the program. */
const OWN = [11, 12] as const;
const CHILDREN = [13, 14] as const;

/** Seconds of processor that ended children of this process took, with their own; null where no system file says so. */
export function childrenSeconds(file = STAT): number | null {
  return secondsIn(CHILDREN, file);
}

/** Seconds of processor that this process took, with all its threads and its ended children; null as above. */
export function processorSeconds(file = STAT): number | null {
  return secondsIn([...OWN, ...CHILDREN], file);
}

function secondsIn(places: readonly number[], file: string): number | null {
  if (!existsSync(file)) return null;
  const stat = readFileSync(file, 'utf8');
  // The name of the program, in parentheses, may have spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return places.reduce((sum, place) => sum + Number(fields[place]), 0) / TICKS_A_SECOND;
}
