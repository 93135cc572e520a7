import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pictureOf } from './picture.ts';
import { shrink } from './shrink.ts';
import { simulate, type SimulateOptions, type SimulationResult } from './simulate.ts';

const MAX_LINES = 160;
const MAX_LINE = 400;
const FOLDER = join(import.meta.dirname, '../../.cache/worlds');

type StoryOptions = Omit<SimulateOptions, 'seed' | 'only' | 'trace'>;

/**
 * Why a world failed: the run is repeated with ever fewer of its steps while the same check fails, and what is left of
 * it is recorded. Its faults and deeds, then each Post that the check names, with times; the same as a picture; and the
 * line that repeats it.
 */
export async function storyOf(run: SimulationResult, options: StoryOptions = {}): Promise<string> {
  const { check } = run.violations[0]!;
  const all = run.world.script.steps.map(({ id }) => id);
  const failing = async (only: readonly string[]): Promise<SimulationResult | null> => {
    const again = await simulate({ ...options, seed: run.seed, only, trace: true }).catch(() => null);
    return again?.violations.some((each) => each.check === check) === true ? again : null;
  };
  const only = await shrink(all, async (some) => (await failing(some)) !== null);
  const shortest = (await failing(only)) ?? (await failing(all));
  if (shortest === null)
    return `seed ${run.seed}: ${check}, and not when it was repeated: ${run.violations[0]!.detail}`;
  const { violations, world } = shortest;
  const about = violations.filter((each) => each.check === check).flatMap((each) => each.about);
  const command = commandFor(run.seed, only, options);
  return [
    `seed ${run.seed} failed; of its ${all.length} steps it takes ${only.length}:`,
    `  ${command}`,
    ...violations.map((each) => `  ${each.check}: ${each.detail}`),
    '  what was done:',
    ...world.script.steps.map(({ id, what, at }) => `    ${timeOf(at)} ${id.padEnd(22)} ${what}`),
    ...[...new Set(about)].flatMap((word) => [
      `  about ${word}:`,
      ...shortened(world.trace.about([word])).map((line) => `    ${line.slice(0, MAX_LINE)}`),
    ]),
    `  as a picture: ${pictured(run.seed, command, world.trace.linesAbout(about))}`,
  ].join('\n');
}

/** One line of shell, which repeats the run. */
function commandFor(
  seed: number,
  only: readonly string[],
  { faults, actions, parts, deeds, pauseAt }: StoryOptions,
): string {
  return [
    `npm run --silent sim -- --seed ${seed}`,
    ...(faults === undefined || Object.keys(faults).length === 0 ? [] : [`--faults '${JSON.stringify(faults)}'`]),
    ...(actions === undefined ? [] : [`--actions '${JSON.stringify(actions)}'`]),
    ...(parts === undefined ? [] : [`--parts '${parts.join(',')}'`]),
    ...(deeds === undefined ? [] : [`--deeds ${deeds}`]),
    ...(pauseAt === undefined ? [] : [`--pause-at ${pauseAt.role}/${pauseAt.call}/${pauseAt.pauseMs}`]),
    `--only '${only.join(',')}'`,
  ].join(' ');
}

function pictured(seed: number, title: string, lines: Parameters<typeof pictureOf>[1]): string {
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `seed-${seed}.svg`);
  writeFileSync(path, pictureOf(title, lines));
  return path;
}

function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  const half = MAX_LINES / 2;
  return [...lines.slice(0, half), `... ${lines.length - MAX_LINES} lines ...`, ...lines.slice(-half)];
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
