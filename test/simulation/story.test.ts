import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Networks } from '#networks/registry.ts';
import type { Publication } from '#networks/contract/adapter.ts';
import { worldsOf } from './arguments.ts';
import { NO_FAULTS } from './faults.ts';
import type { Plant } from './plant.ts';
import { runWorlds } from './run-worlds.ts';
import { simulate, type SimulateOptions } from './simulate.ts';
import { storyOf } from './story.ts';
import { WORLD_ENDS } from './world-ends.ts';

const TIMEOUT_MS = 180_000;
const LIVE = 'live items agree with Variants';

/** What x publishes is sent twice. */
const SENT_TWICE = plantedInX('x is sent each Variant twice', async (publish) => {
  await publish();
  return publish();
});

function plantedInX(name: string, planted: (publish: () => Promise<unknown>, text: string) => Promise<unknown>): Plant {
  return {
    name,
    networks: (networks) => {
      const x = networks.adapters.x!;
      const publish = (content: Publication, handle: string | null) =>
        planted(() => x.publish(content, handle), content.text);
      return { ...networks, adapters: { ...networks.adapters, x: { ...x, publish } } } as Networks;
    },
  };
}

const DEEDS: SimulateOptions = {
  seed: 4,
  deeds: 12,
  faults: NO_FAULTS,
  actions: { 'create now': 2, 'buy credits': 1 },
};
/** Several times what the worlds of these tests have. */
const MAX_STEPS = 6_000;
const ACTIONS = ['--actions', JSON.stringify(DEEDS.actions)];
const FAULTS = ['--faults', JSON.stringify(NO_FAULTS)];

/** As the shell takes apart the line that a story prints. */
function argumentsOf(story: string): readonly string[] {
  const line = /^ {2}npm run --silent sim -- (.*)$/m.exec(story)![1]!;
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
}

/** Runs the line that a story prints, with the bug that no line can name. */
async function repeat(story: string, plant: Plant) {
  const { first, options } = worldsOf(argumentsOf(story))!;
  return simulate({ ...options, seed: first, plant, maxSteps: MAX_STEPS });
}

test(
  'a story tells the Post, its times, the steps that it takes and the line that repeats it',
  { timeout: TIMEOUT_MS },
  async () => {
    const { seed, ...options } = { ...DEEDS, plant: SENT_TWICE };
    const run = await simulate({ seed, ...options });
    const [violation] = run.violations;
    expect(violation!.check).toBe(LIVE);
    const story = await storyOf(run, options);

    // One deed of a client makes a Post, and another step is not needed.
    expect(story).toMatch(/^seed 4 failed; of its \d+ steps it takes 1:$/m);
    expect(story).toMatch(/^ {4}\d\d:\d\d:\d\d\.\d{3} client-1\/\d+ +create now$/m);
    const again = await repeat(story, SENT_TWICE);
    expect(again.violations).toContainEqual(expect.objectContaining({ check: LIVE }));
    const { check, detail, about } = again.violations[0]!;
    expect(story).toContain(`  ${check}: ${detail}`);
    expect(again.world.script.steps).toHaveLength(1);
    for (const word of about) expect(story).toContain(`  about ${word}:`);
    // When the client got its answer, and what the publisher then did.
    expect(story).toMatch(/^ {4}\d\d:\d\d:\d\d\.\d{3} client-1 +sees ok {2}of /m);
    expect(story).toMatch(/^ {4}\d\d:\d\d:\d\d\.\d{3} publisher-\d\.1 +ledger row of \S+ is armed$/m);

    const picture = readFileSync(/as a picture: (.*)$/m.exec(story)![1]!, 'utf8');
    expect(picture).toContain('npm run --silent sim -- --seed 4');
    const rows = [...picture.matchAll(/text-anchor="end">([^<]*)</g)].map(([, row]) => row);
    expect(rows.slice(0, 2)).toEqual(['nemesis', 'client-1']);
    expect(rows).toContainEqual(expect.stringMatching(/^publisher-\d$/));
    expect(picture).toMatch(/<text [^>]*>\d\d:\d\d:\d\d\.\d{3}<\/text>/);
    expect(picture).toMatch(/<title>[^<]*ledger row of \S+ is armed<\/title>/);
    expect(picture.trimEnd()).toMatch(/^<svg .*<\/svg>$/s);
  },
);

test('what a picture shows is text, whatever stands in it', async () => {
  const { pictureOf } = await import('./picture.ts');
  const picture = pictureOf('a <title> & "more"', [
    { at: 0, who: 'client-1', what: 'sees </svg>' },
    { at: 5, who: 'nemesis', what: 'publisher-2.3 crashes' },
  ]);
  expect(picture).toContain('a &lt;title&gt; &amp; &quot;more&quot;');
  expect(picture.match(/<\/svg>/g)).toHaveLength(1);
  // What was done to a process stands in its row, over all its lives.
  expect(picture).toContain('text-anchor="end">publisher-2</text>');
  expect(picture).not.toContain('text-anchor="end">nemesis</text>');
});

/** Does something that no process may do, in the midst of publishing. */
const BROKEN: readonly (readonly [string, Plant, string])[] = [
  [
    'throws where nobody catches it',
    plantedInX('x throws in a timer', (publish) => {
      void Promise.reject(new TypeError('nobody catches this'));
      return publish();
    }),
    'nobody catches this',
  ],
  [
    'works in a circle',
    plantedInX('x asks itself for ever', async (publish) => {
      for (;;) await publish();
    }),
    `more than ${MAX_STEPS} steps`,
  ],
];

test.each(BROKEN)(
  'a world that %s is told, shrunk and repeated as others are',
  { timeout: TIMEOUT_MS },
  async (_, plant, words) => {
    const { seed, ...options } = { ...DEEDS, plant, maxSteps: MAX_STEPS };
    const run = await simulate({ seed, ...options });
    expect(run.violations.map(({ check }) => check)).toEqual([WORLD_ENDS]);
    expect(run.violations[0]!.detail).toContain(words);
    const story = await storyOf(run, options);
    expect(story).toMatch(/^seed 4 failed; of its \d+ steps it takes [12]:$/m);
    expect(story).toContain(words);
    expect(story).toMatch(/^ {2}about \S+:$/m);
    expect((await repeat(story, plant)).violations.map(({ check }) => check)).toEqual([WORLD_ENDS]);
  },
);

test(
  'a run that keeps going tells the first that fail, names each other one, and says all at its end',
  { timeout: TIMEOUT_MS },
  async () => {
    const said: string[] = [];
    const args = ['--seed', '7', '--runs', '6', '--deeds', '4', '--keep-going', ...ACTIONS, ...FAULTS];
    const failed = await runWorlds(worldsOf(args)!, (text) => void said.push(text), SENT_TWICE);
    expect(failed.length).toBeGreaterThan(3);
    const stories = said.filter((text) => text.includes('as a picture: '));
    expect(stories.map((text) => text.split(' failed;')[0])).toEqual(failed.slice(0, 3).map((seed) => `seed ${seed}`));
    for (const seed of failed.slice(3))
      expect(said).toContainEqual(
        expect.stringMatching(
          `^seed ${seed} failed: ${LIVE}: .*\n {2}npm run --silent sim -- --seed ${seed} --faults `,
        ),
      );
    expect(said.at(-1)).toContain(`6 of 6 runs from seed 7: ${failed.length} failed, of seeds ${failed.join(', ')};`);
  },
);

test('a run that does not keep going ends at the first that fails', { timeout: TIMEOUT_MS }, async () => {
  const said: string[] = [];
  const args = ['--seed', '7', '--runs', '6', '--deeds', '4', ...ACTIONS, ...FAULTS];
  expect(await runWorlds(worldsOf(args)!, (text) => void said.push(text), SENT_TWICE)).toHaveLength(1);
});
