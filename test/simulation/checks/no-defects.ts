import type { Check } from '../aftermath.ts';

/**
 * No process met an error that no port may give: a failed assertion, two bodies at one timestamp, an unexpected
 * command.
 */
export const noDefects: Check = ({ world }) =>
  world.witness.defects.map(({ process, event, error }) => ({
    check: 'no defects',
    detail: `${process}: ${event}: ${error}`,
    about: [],
  }));
