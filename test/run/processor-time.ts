import { existsSync, readFileSync } from 'node:fs';

const STAT = '/proc/self/stat';
/** Linux counts in hundredths of a second, whatever the kernel's own clock. */
const TICKS_A_SECOND = 100;

/** Seconds of processor that ended children of this process took, with their own; null where no system file says so. */
export function childrenSeconds(file = STAT): number | null {
  if (!existsSync(file)) return null;
  const stat = readFileSync(file, 'utf8');
  // The name of the program, in parentheses, may have spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
}
