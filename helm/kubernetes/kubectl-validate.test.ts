import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolAt } from '#testing/tool-at.ts';
import { run, type KubernetesObject } from '../helm.fixture.ts';
import { objectsOfAll, plantedIn } from './examples.fixture.ts';
import { hasSchemas } from './schemas.fixture.ts';
import { KUBERNETES_VERSIONS, SCHEMAS_FOLDER } from './versions.ts';

const TOOL = toolAt('kubectl-validate');
/** It has schemas of some versions in itself; ours come before them. */
const OWN_VERSION = '1.30';

interface Verdict {
  readonly status: string;
  readonly message?: string;
}

/** What the validator refuses of objects, by their places in the list. */
async function refused(version: string, objects: readonly KubernetesObject[]): Promise<ReadonlyMap<number, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-objects-'));
  try {
    for (const [index, object] of objects.entries())
      writeFileSync(join(folder, `${index}.json`), JSON.stringify(object));
    const schemas = [
      '--local-schemas',
      `${SCHEMAS_FOLDER}/${version}`,
      '--local-crds',
      `${SCHEMAS_FOLDER}/definitions`,
    ];
    const args = [folder, '--version', OWN_VERSION, ...schemas, '--output', 'json'];
    // It would ask the cluster that the machine's user works with.
    const { output, errors } = await run('env', ['KUBECONFIG=/dev/null', TOOL!, ...args]);
    const verdicts = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as Readonly<
      Record<string, readonly Verdict[]>
    >;
    expect([Object.keys(verdicts).length, errors]).toEqual([objects.length, errors]);
    return new Map(
      Object.entries(verdicts).flatMap(([file, list]) =>
        list
          .filter(({ status }) => status !== 'Success')
          .map(({ message }): [number, string] => [Number.parseInt(basename(file)), message ?? 'refused']),
      ),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// A second opinion, with the code of Kubernetes' own server: `make chart` builds it.
describe.skipIf(toolAt('helm') === null || TOOL === null || !hasSchemas())('kubectl-validate', () => {
  test.each(KUBERNETES_VERSIONS)(
    'takes every example in version $version, and no planted fault',
    async ({ version }) => {
      const objects = await objectsOfAll();
      const planted = plantedIn(objects);
      const found = await refused(version, [...objects, ...planted]);
      const wrong = [...found].filter(([index]) => index < objects.length);
      expect(
        wrong.map(([index, words]) => `${objects[index]!.kind} ${objects[index]!.metadata.name}: ${words}`),
      ).toEqual([]);
      const missed = planted.filter((_, index) => !found.has(objects.length + index));
      expect(missed.map(({ kind }) => kind)).toEqual([]);
    },
    600_000,
  );
});
