import { totalmem } from 'node:os';
import { SPARE_CONVERSIONS, SPARE_VIDEOS } from '#concurrency/conversions.ts';
import type { Config } from '#config/config.ts';
import { conversionBytes, conversionsAtOnceOf, ownMachine, type OwnMachine } from '../compose/conversions-at-once.ts';
import type { DoctorFinding } from './finding.ts';

const GIB = 1024 ** 3;

/** How much memory the conversions of a process can take, beside what the machine or the container has. */
export function conversionFindings(
  config: Pick<Config, 'conversionsAtOnce' | 'roles'>,
  machine: OwnMachine = ownMachine(),
  memoryBytes = totalmem(),
): readonly DoctorFinding[] {
  if (!config.roles.includes('media')) return [];
  const atOnce = conversionsAtOnceOf(config, machine);
  const mostBytes = conversionBytes(atOnce);
  const hasBytes = machine.limitBytes ?? memoryBytes;
  const facts = `${atOnce} at once and ${SPARE_CONVERSIONS + SPARE_VIDEOS} more, which may take ${gibOf(mostBytes)} GiB at most; there are ${gibOf(hasBytes)} GiB of memory`;
  const end =
    machine.limitBytes === null
      ? 'a tool that finds none is ended, and its job tried again'
      : 'the container may be ended';
  const advice = atOnce > 1 ? 'set CRIER_CONVERSIONS_AT_ONCE lower, or give it more' : 'give it more';
  return [{ check: 'conversions', ok: true, detail: mostBytes <= hasBytes ? facts : `${facts}: ${end}; ${advice}` }];
}

const gibOf = (bytes: number): string => (bytes / GIB).toFixed(1);
