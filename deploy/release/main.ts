import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { VERSION } from '#config/version.ts';
import { makeArtifacts } from './artifacts.ts';
import { commitOf, refusalOf } from './checkout.ts';

// `make release`: all artifacts of this commit, into dist/.

const ROOT = resolve(import.meta.dirname, '../..');
const INTO = resolve(ROOT, 'dist');

const refusal = refusalOf(ROOT);
if (refusal === null) {
  const { id, at } = commitOf(ROOT);
  rmSync(INTO, { recursive: true, force: true });
  await makeArtifacts({ root: ROOT, into: INTO, version: VERSION, at });
  process.stdout.write(`Crier ${VERSION} of ${id}, in dist:

${readFileSync(resolve(INTO, 'SHA256SUMS'), 'utf8')}
Images:

  docker build --file deploy/Dockerfile --target crier --build-arg REVISION=${id} --tag crier:${VERSION} - < dist/crier-${VERSION}.image-context.tar
  docker build --file deploy/Dockerfile --target media --build-arg REVISION=${id} --tag crier-media:${VERSION} - < dist/crier-${VERSION}.image-context.tar
`);
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
