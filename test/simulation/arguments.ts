import { parseArgs } from 'node:util';
import { OVERDUE_CHOICES, type OverdueChoice } from '#domain/restoration.ts';
import type { FaultPlan } from './faults.ts';
import { PARTS, type Part, type SimulatedRole } from './roles.ts';
import type { SimulateOptions } from './simulate.ts';
import type { ActionShares } from './actions.ts';

/** What is asked of `npm run sim`. */
export interface AskedWorlds {
  readonly first: number;
  readonly runs: number;
  readonly options: Omit<SimulateOptions, 'seed' | 'plant'>;
  /** Not null: the worlds are of an installation that is restored from a backup and released by this choice. */
  readonly restored: OverdueChoice | null;
  /** Words that name what of each world is printed. */
  readonly about: readonly string[];
  readonly keepGoing: boolean;
}

export const USAGE =
  'usage: npm run sim -- --seed N [--runs M] [--trace [--about WORD]] [--faults JSON] [--actions JSON] [--only STEPS] [--deeds N] [--parts webhooks,media,members] [--pause-at ROLE/STEP/MS] [--restored ask|fail|publish] [--keep-going]';

/** Null: they ask for nothing that can be run. */
export function worldsOf(args: readonly string[]): AskedWorlds | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      runs: { type: 'string', default: '1' },
      faults: { type: 'string' },
      actions: { type: 'string' },
      only: { type: 'string' },
      deeds: { type: 'string' },
      // Left out: as each seed draws.
      parts: { type: 'string' },
      'pause-at': { type: 'string' },
      restored: { type: 'string' },
      trace: { type: 'boolean', default: false },
      about: { type: 'string', multiple: true, default: [] },
      'keep-going': { type: 'boolean', default: false },
    },
  });
  const first = Number(values.seed);
  const runs = Number(values.runs);
  const restored = OVERDUE_CHOICES.find((choice) => choice === values.restored) ?? null;
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(runs) || runs < 1) return null;
  if (values.restored !== undefined && restored === null) return null;
  const [role, call, pauseMs] = values['pause-at']?.split('/') ?? [];
  return {
    ...{ first, runs, restored, about: values.about, keepGoing: values['keep-going'] },
    options: {
      ...(values.trace && { trace: true }),
      // JSON has no infinity: between the blows of a plan that has none.
      ...(values.faults !== undefined && {
        faults: JSON.parse(values.faults, (_key, value: unknown) => value ?? Infinity) as Partial<FaultPlan>,
      }),
      ...(values.only !== undefined && { only: values.only.split(',').filter((id) => id !== '') }),
      ...(values.actions !== undefined && { actions: JSON.parse(values.actions) as ActionShares }),
      ...(values.parts !== undefined && {
        parts: values.parts.split(',').filter((part): part is Part => (PARTS as readonly string[]).includes(part)),
      }),
      ...(values.deeds !== undefined && { deeds: Number(values.deeds) }),
      ...(role !== undefined && {
        pauseAt: { role: role as SimulatedRole, call: Number(call), pauseMs: Number(pauseMs) },
      }),
    },
  };
}
