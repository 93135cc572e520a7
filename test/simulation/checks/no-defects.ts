import type { Check } from '../aftermath.ts';

/** Nobody met an error that no port may give: an assertion, two bodies at one timestamp, a command nobody expected. */
export const noDefects: Check = ({ world }) =>
  world.witness.defects.map(({ process, event, error }) => ({
    check: 'no defects',
    detail: `${process}: ${event}: ${error}`,
    about: [],
  }));
