import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '#config/version.ts';
import { imagesOf, makeArtifacts } from './artifacts.ts';
import { commitOf, refusalOf } from './checkout.ts';

// `make release`: all artifacts of this commit, into dist/. `--images=registry.example.com/crier` names the registry that
// the chart installs from; left out, it is what the chart of the checkout says.

const ROOT = resolve(import.meta.dirname, '../..');
const INTO = resolve(ROOT, 'dist');

const { values: given } = parseArgs({ options: { images: { type: 'string' } } });
const images = given.images ?? imagesOf(ROOT);

const refusal = refusalOf(ROOT);
if (refusal === null) {
  const { id, at } = commitOf(ROOT);
  rmSync(INTO, { recursive: true, force: true });
  await makeArtifacts({ root: ROOT, into: INTO, version: VERSION, at, images });
  process.stdout.write(`Crier ${VERSION} of ${id}, in dist:

${readFileSync(resolve(INTO, 'SHA256SUMS'), 'utf8')}
Images:

  docker build --file deploy/Dockerfile --target crier --build-arg REVISION=${id} --tag ${images}/crier:${VERSION} - < dist/crier-${VERSION}.image-context.tar
  docker build --file deploy/Dockerfile --target media --build-arg REVISION=${id} --tag ${images}/crier-media:${VERSION} - < dist/crier-${VERSION}.image-context.tar
  docker push ${images}/crier:${VERSION}
  docker push ${images}/crier-media:${VERSION}
`);
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
