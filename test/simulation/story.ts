import { simulate, type SimulateOptions, type Simulated } from './simulate.ts';

const LINES_AT_MOST = 120;

/** The violation, and everything that happened to its subject: the run is repeated with recording. */
export async function storyOf(run: Simulated, options: Omit<SimulateOptions, 'seed'> = {}): Promise<string> {
  const lines = [`seed ${run.seed} failed: npm run sim -- --seed ${run.seed} --trace`];
  for (const { check, detail } of run.violations) lines.push(`  ${check}: ${detail}`);
  const first = run.violations.find(({ about }) => about.length > 0);
  if (first === undefined) return lines.join('\n');
  const again = await simulate({ ...options, seed: run.seed, trace: true });
  const story = again.world.trace.about(first.about);
  const shown =
    story.length <= LINES_AT_MOST
      ? story
      : [
          ...story.slice(0, LINES_AT_MOST / 2),
          `... ${story.length - LINES_AT_MOST} lines ...`,
          ...story.slice(-LINES_AT_MOST / 2),
        ];
  return [...lines, `  about ${first.about.join(', ')}:`, ...shown.map((line) => `    ${line.slice(0, 600)}`)].join(
    '\n',
  );
}
