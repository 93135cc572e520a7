import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { breachesOf } from '../house-rules.fixture.ts';
import { toolAt } from '#testing/tool-at.ts';
import { EXAMPLES, manifestsOf, objectsIn, objectsOfAll, PLANTED, plantedIn } from './examples.fixture.ts';
import { faultsOf } from './object-rules.fixture.ts';
import { hasSchemas, refusalsOf } from './schemas.fixture.ts';
import { KUBERNETES_VERSIONS } from './versions.ts';

test('the oldest version that is looked at is the oldest that the chart takes', () => {
  const { kubeVersion } = parse(readFileSync(join(import.meta.dirname, '../crier/Chart.yaml'), 'utf8')) as {
    kubeVersion: string;
  };
  expect(kubeVersion).toBe(`>=${KUBERNETES_VERSIONS[0]!.version}.0-0`);
});

// `make chart` builds helm and fetches the schemas, which takes minutes; the suite runs wherever they are there.
describe.skipIf(toolAt('helm') === null || !hasSchemas())('Kubernetes takes', () => {
  const versions = KUBERNETES_VERSIONS.map(({ version }) => version);

  test.each(['default', ...EXAMPLES])('the example %s, in each version', async (example) => {
    const objects = await objectsIn(example);
    expect(objects.length).toBeGreaterThan(5);
    expect(refusalsOf(versions, [...objects, ...(example === 'default' ? [] : manifestsOf(example))])).toEqual([]);
    expect([faultsOf(objects), breachesOf(objects)]).toEqual([[], []]);
  });

  test.each(versions)('nothing that is planted, in version %s', async (version) => {
    const planted = plantedIn(await objectsOfAll());
    expect(planted.filter((object) => refusalsOf([version], [object]).length === 0)).toEqual([]);
  });

  test('every kind that an example makes has a planted fault', async () => {
    const objects = await objectsOfAll();
    const kinds = new Set(objects.filter(({ spec }) => spec !== undefined).map(({ kind }) => kind));
    expect(Object.keys(PLANTED).toSorted()).toEqual([...kinds].toSorted());
  });
});
