import type { Check } from '../aftermath.ts';

/**
 * Nothing that clients do here is too large by itself: a store that takes few rows at once makes turns shorter, and
 * neither refuses a command nor leaves a report out.
 */
export const whatFitsIsTaken: Check = ({ history, world }) => {
  const refused = history.entries.filter(({ code }) => code === 'too_large');
  const leftOut = world.witness.counts.get('record-dead-lettered') ?? 0;
  return [
    ...refused.map(({ kind, invokedAt }) => ({
      check: 'what fits is taken',
      detail: `${kind} at ${new Date(invokedAt).toISOString()} was refused as too large`,
      about: [],
    })),
    ...(leftOut === 0 ? [] : [{ check: 'what fits is taken', detail: `${leftOut} messages were left out`, about: [] }]),
  ];
};
