import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { soak } from '#testing/engines/environment.ts';
import { toolAt } from '#testing/tool-at.ts';
import { template } from '../helm.fixture.ts';
import { VALUES_SCHEMA } from '../schema/values-schema.ts';
import { flipsOf, nameOfFlip, valuesOf, type Flip } from './flips.fixture.ts';
import { DEFAULTS, outcomeOf } from './renderings.fixture.ts';
import { hasSchemas } from './schemas.fixture.ts';

const accepts = new Ajv({ strict: false }).compile(VALUES_SCHEMA);
const isAccepted = (flip: Flip): boolean => accepts(valuesOf([flip], DEFAULTS));
const flips = flipsOf();

test('every value of the schema is flipped, and takes something', () => {
  const paths = new Set(flips.map(({ path }) => path.join('.')));
  expect(paths.size).toBeGreaterThan(400);
  const taken = new Set(flips.filter(isAccepted).map(({ path }) => path.join('.')));
  expect([...paths].filter((path) => !taken.has(path))).toEqual([]);
});

/** Where a value has an effect. The sandbox is in the trial only; a process alone has no roles. */
const OF_CLUSTERS =
  /^(kafka|cassandra|objectStore|schemaRegistryUrl|migrate|defaults|roles|publishers|networks\.withoutPublisher)\b/;
const STRIPE: readonly Flip[] = [
  { path: ['billing', 'mode'], value: 'stripe' },
  { path: ['billing', 'existingSecret'], value: 'crier-stripe' },
  { path: ['billing', 'prices'], value: ['credits.100=price_a'] },
];
const BASES: readonly (readonly [example: string, set: readonly Flip[], isEffective: (path: string) => boolean])[] = [
  ['production', [], (path) => !/^(single|roles\.sandbox)\b/.test(path)],
  ['small', [], (path) => !OF_CLUSTERS.test(path)],
  ['trial-cluster', [], (path) => /^(roles\.sandbox|networks|service|ipFamily|networkPolicy)\b/.test(path)],
  // An ordinary Job, and what KEDA scales.
  ['gitops', [], (path) => /^(migrate|roles\.workspace\.autoscaling)\b/.test(path)],
  // Certificates of clients, and keys of a store.
  ['strimzi', [], (path) => /^(kafka|objectStore)\b/.test(path)],
  ['production', STRIPE, (path) => /^billing\b/.test(path)],
];

// `make chart` builds helm and fetches the schemas. Some hundred renderings take minutes, so only that and `make soak`
// have them.
const isWanted = soak() || process.env['CRIER_TEST_CHART'] === '1';
describe.skipIf(!isWanted || toolAt('helm') === null || !hasSchemas())('with every value flipped, the chart', () => {
  test.each(BASES)(
    'is what Kubernetes takes, or says what is wrong: %s',
    async (example, set, isEffective) => {
      const accepted = flips.filter((flip) => isEffective(flip.path.join('.')) && isAccepted(flip));
      const { renderings, explained, wrong } = await outcomeOf(example, set, accepted);
      console.log(`${example}: ${accepted.length} values in ${renderings} renderings, ${explained.size} explained`);
      expect(wrong).toEqual([]);
      const silent = [...explained].filter(([, words]) => !isSentence(words));
      expect(silent).toEqual([]);
    },
    1_800_000,
  );

  test('names the value that its schema refuses', async () => {
    const refused = flips.filter((flip) => !isAccepted(flip));
    // The schema's library has the same words everywhere: a few of each room are enough.
    const some = [...Map.groupBy(refused, ({ path }) => path[0]!).values()].map((list) => list.at(-1)!);
    for (const flip of some) {
      const { code, errors } = await template([], valuesOf([flip], DEFAULTS));
      expect([nameOfFlip(flip), code]).toEqual([nameOfFlip(flip), 1]);
      expect(errors, nameOfFlip(flip)).toContain(`at '/${flip.path[0]!}`);
    }
  });
});

/** Each line begins with a value or a name, and says what to do; none is Go's. */
function isSentence(words: string): boolean {
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.length > 0 &&
    lines.every((line) => /^[\w.,: -]+\b/.test(line) && line.length > 30 && !/<nil>|map\[|%!|wrong type/.test(line))
  );
}
