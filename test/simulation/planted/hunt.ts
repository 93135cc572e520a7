import type { FaultPlan } from '../faults.ts';
import type { PlantedInWorlds } from './planted-bug.ts';
import type { PlantedModules, Simulation } from './planted-modules.ts';

export const MAX_WORLDS = 100;
/** Most bugs do harm only when processes crash. */
const MANY_CRASHES: Partial<FaultPlan> = { crashAtCall: 0.03 };

export interface Catch {
  readonly seed: number;
  /** The checks that failed. */
  readonly checks: readonly string[];
  readonly detail: string;
  /** What happened to what it is about, for reading. */
  readonly story: () => Promise<string>;
}

/**
 * Runs worlds with the bug in this order until one of them fails that is well without the bug. Null: none did. Rejects
 * where messages of such a world can not be read, since the bug is not what its name says then.
 */
export async function hunt(
  modules: PlantedModules,
  bug: PlantedInWorlds,
  seeds: Iterable<number>,
): Promise<Catch | null> {
  const { faults = MANY_CRASHES, actions, parts } = bug;
  const options = { faults, ...(actions && { actions }), ...(parts && { parts }) };
  const planted = await modules.with(bug);
  for (const seed of seeds) {
    const failure = await failureIn(planted, seed, options);
    if (failure === null) continue;
    const without = await failureIn(await modules.sound, seed, options);
    if (failure.unreadable !== null)
      throw new Error(`seed ${seed} has messages that no compiled code would write: ${failure.unreadable}`);
    if (without === null)
      return { ...failure, story: async () => planted.storyOf(await planted.simulate({ seed, ...options }), options) };
    console.error(`seed ${seed} fails without any bug, by these faults: ${JSON.stringify(faults)}: ${without.detail}`);
  }
  return null;
}

async function failureIn(
  { simulate }: Simulation,
  seed: number,
  options: Pick<PlantedInWorlds, 'faults' | 'actions' | 'parts'>,
): Promise<(Omit<Catch, 'story'> & { readonly unreadable: string | null }) | null> {
  const { violations, world } = await simulate({ seed, ...options });
  const [first] = violations;
  if (first === undefined) return null;
  // Imported here, since what was loaded before the hooks of `PlantedModules` is not known to them.
  const { unreadableIn } = await import('./unreadable.ts');
  const checks = [...new Set(violations.map(({ check }) => check))];
  return { seed, checks, detail: first.detail, unreadable: unreadableIn(world) };
}
