import { simulate, type SimulateOptions, type SimulationResult } from './simulate.ts';

const MAX_LINES = 120;

/** The violation, and everything that happened to its subject: the run is repeated with recording. */
export async function storyOf(run: SimulationResult, options: Omit<SimulateOptions, 'seed'> = {}): Promise<string> {
  const lines = [`seed ${run.seed} failed: npm run sim -- --seed ${run.seed} --trace`];
  for (const { check, detail } of run.violations) lines.push(`  ${check}: ${detail}`);
  const first = run.violations.find(({ about }) => about.length > 0);
  if (first === undefined) return lines.join('\n');
  const again = await simulate({ ...options, seed: run.seed, trace: true });
  const story = again.world.trace.about(first.about);
  const shown =
    story.length <= MAX_LINES
      ? story
      : [...story.slice(0, MAX_LINES / 2), `... ${story.length - MAX_LINES} lines ...`, ...story.slice(-MAX_LINES / 2)];
  return [...lines, `  about ${first.about.join(', ')}:`, ...shown.map((line) => `    ${line.slice(0, 600)}`)].join(
    '\n',
  );
}
