import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pictureOf } from './picture.ts';
import { simulateRestore, type RestoreOptions, type RestoreResult } from './restore.ts';
import { shrink } from './shrink.ts';
import { simulate, type SimulateOptions, type SimulationResult } from './simulate.ts';

const MAX_LINES = 160;
const MAX_LINE = 400;
/** Lines of a picture, which stand side by side. */
const MAX_PICTURED = 400;
const FOLDER = join(import.meta.dirname, '../../.cache/worlds');
/** Some ten thousand steps are a run; a world that has far more of them, as it works in a circle, is run less often. */
const MAX_STEPS_OF_ALL_RUNS = 10_000_000;
const MAX_RUNS = 250;

type StoryOptions = Omit<SimulateOptions, 'seed' | 'only' | 'trace'>;
type RestoreStoryOptions = Omit<RestoreOptions, 'seed' | 'only' | 'trace'>;

/** A world that failed, and how it is run again. */
interface ToldWorld {
  readonly seed: number;
  readonly failed: FailedWorld;
  /** The same run, of its steps only these. */
  readonly again: (only: readonly string[]) => Promise<FailedWorld>;
  /** The line of shell that does so. */
  readonly commandFor: (only: readonly string[]) => string;
  /** Of the picture's file. */
  readonly picture: string;
}

type FailedWorld = Pick<SimulationResult, 'violations' | 'world'>;

/**
 * Why a world failed: the run is repeated with ever fewer of its steps while the same check fails, and what is left of
 * it is recorded. Its faults and deeds, then each Post that the check names, with times; the same as a picture; and the
 * line that repeats it.
 */
export function storyOf(run: SimulationResult, options: StoryOptions = {}): Promise<string> {
  const { seed } = run;
  return tell({
    ...{ seed, failed: run, picture: `seed-${seed}.svg` },
    again: (only) => simulate({ ...options, seed, only, trace: true }),
    commandFor: (only) => commandFor(seed, only, options),
  });
}

/** The same of an installation that was restored. */
export function storyOfRestored(
  run: RestoreResult,
  { seed, ...options }: RestoreStoryOptions & Pick<RestoreOptions, 'seed'>,
): Promise<string> {
  return tell({
    ...{ seed, failed: run, picture: `restored-${options.overdue}-seed-${seed}.svg` },
    again: (only) => simulateRestore({ ...options, seed, only, trace: true }),
    commandFor: (only) => restoredCommandFor(seed, only, options),
  });
}

async function tell({ seed, failed, again, commandFor, picture }: ToldWorld): Promise<string> {
  const { check, detail } = failed.violations[0]!;
  const all = failed.world.script.steps.map(({ id }) => id);
  const failing = async (only: readonly string[]): Promise<FailedWorld | null> => {
    const run = await again(only);
    return run.violations.some((each) => each.check === check) ? run : null;
  };
  const runs = Math.min(MAX_RUNS, Math.ceil(MAX_STEPS_OF_ALL_RUNS / failed.world.engine.steps));
  const only = await shrink(all, async (some) => (await failing(some)) !== null, runs);
  const shortest = (await failing(only)) ?? (await failing(all));
  if (shortest === null) return `seed ${seed}: ${check}, and not when it was repeated: ${detail}`;
  const { violations, world } = shortest;
  const about = violations.filter((each) => each.check === check).flatMap((each) => each.about);
  const command = commandFor(only);
  return [
    `seed ${seed} failed; of its ${all.length} steps it takes ${only.length}:`,
    `  ${command}`,
    ...violations.map((each) => `  ${each.check}: ${each.detail}`),
    '  what was done:',
    ...world.script.steps.map(({ id, what, at }) => `    ${timeOf(at)} ${id.padEnd(22)} ${what}`),
    ...[...new Set(about)].flatMap((word) => [
      `  about ${word}:`,
      ...shortened(world.trace.about([word])).map((line) => `    ${line.slice(0, MAX_LINE)}`),
    ]),
    `  as a picture: ${pictured(picture, command, world.trace.linesAbout(about).slice(-MAX_PICTURED))}`,
  ].join('\n');
}

/** One line of shell, which repeats the run, or these of its steps. */
export function commandFor(
  seed: number,
  only: readonly string[] | null,
  { faults, actions, parts, deeds, pauseAt }: StoryOptions,
): string {
  return [
    `npm run --silent sim -- --seed ${seed}`,
    ...(faults === undefined || Object.keys(faults).length === 0 ? [] : [`--faults '${JSON.stringify(faults)}'`]),
    ...(actions === undefined ? [] : [`--actions '${JSON.stringify(actions)}'`]),
    ...(parts === undefined ? [] : [`--parts '${parts.join(',')}'`]),
    ...(deeds === undefined ? [] : [`--deeds ${deeds}`]),
    ...(pauseAt === undefined ? [] : [`--pause-at ${pauseAt.role}/${pauseAt.call}/${pauseAt.pauseMs}`]),
    ...(only === null ? [] : [`--only '${only.join(',')}'`]),
  ].join(' ');
}

export function restoredCommandFor(
  seed: number,
  only: readonly string[] | null,
  { overdue }: Pick<RestoreOptions, 'overdue'>,
): string {
  return `${commandFor(seed, only, {})} --restored ${overdue}`;
}

function pictured(file: string, title: string, lines: Parameters<typeof pictureOf>[1]): string {
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, file);
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
