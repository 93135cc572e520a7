import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { compare, gzipped, tarOf } from './archive.ts';
import { normalizedBill, productionFiles } from './bill-of-materials.ts';
import { trackedFiles } from './checkout.ts';
import { ignoredBy } from './docker-ignore.ts';
import { notesIn } from './notes.ts';

const run = promisify(execFile);

export interface ReleaseOptions {
  /** The checkout. */
  readonly root: string;
  /** An empty folder. */
  readonly into: string;
  readonly version: string;
  /** The time of the commit, which all files bear. */
  readonly at: Date;
  /** The registry of who releases, which chart and list of images then name. Left out: that of the checkout. */
  readonly images?: string;
}

/** Writes every artifact of a release. The bytes follow from the checkout, its packages and `at`. */
export async function makeArtifacts(options: ReleaseOptions): Promise<void> {
  mkdirSync(options.into, { recursive: true });
  await Promise.all([packClient(options), packReceivers(options), writeBill(options)]);
  await writeChart(options);
  await writeImageContext(options);
  const { root, into, version } = options;
  const images = readFileSync(join(root, 'deploy/images.txt'), 'utf8');
  writeFileSync(join(into, `crier-${version}.images.txt`), withImages(options, images));
  writeFileSync(join(into, `crier-${version}.notes.md`), `${releaseNotes(options)}\n`);
  writeSums(into);
}

/** An archive of npm: what git has below `folder`, the licence, and what is built beside them. */
async function packed(options: ReleaseOptions, folder: string, build: (stage: string) => Promise<void>): Promise<void> {
  const stage = mkdtempSync(join(tmpdir(), 'crier-release-'));
  try {
    for (const { path, bytes } of [
      ...trackedFiles(options.root, folder),
      ...trackedFiles(options.root, 'LICENSE').map((file) => ({ ...file, path: `${folder}/${file.path}` })),
    ]) {
      const to = join(stage, path.slice(folder.length + 1));
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, bytes);
    }
    await build(stage);
    // npm gives all files one time, and leaves them the modes that the umask of this machine made.
    for (const entry of readdirSync(stage, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644);
    await run('npm', ['pack', stage, '--pack-destination', options.into, '--ignore-scripts', '--loglevel=error'], {
      cwd: options.root,
    });
  } finally {
    rmSync(stage, { recursive: true });
  }
}

const CLIENT = 'clients/typescript';

async function packClient(options: ReleaseOptions): Promise<void> {
  const { root } = options;
  await packed(options, CLIENT, async (stage) => {
    const [tsc, project] = [join(root, 'node_modules/typescript/bin/tsc'), join(root, CLIENT)];
    await run(process.execPath, [tsc, '--project', project, '--outDir', join(stage, 'dist')]);
  });
}

async function packReceivers(options: ReleaseOptions): Promise<void> {
  await packed(options, 'examples/receivers', async () => {});
}

/**
 * npm takes for development whatever a package of development needs as well, and would leave out most of what ships:
 * the bill is made of a lock file that has no such packages.
 */
async function writeBill({ root, into, version, at }: ReleaseOptions): Promise<void> {
  const stage = mkdtempSync(join(tmpdir(), 'crier-release-'));
  try {
    for (const [name, text] of Object.entries(productionFiles(root))) writeFileSync(join(stage, name), text);
    const words = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
    const { stdout } = await run('npm', [...words, '--loglevel=error'], { cwd: stage, maxBuffer: 64 * 1024 * 1024 });
    writeFileSync(join(into, `crier-${version}.sbom.cdx.json`), normalizedBill(stdout, 'crier', at));
  } finally {
    rmSync(stage, { recursive: true });
  }
}

const CHART = 'helm/crier';

/** The same files as `helm package` takes; that stamps each with the time of the run, so its bytes always differ. */
async function writeChart(options: ReleaseOptions): Promise<void> {
  const { root, into, version, at } = options;
  const files = trackedFiles(root, CHART)
    .filter(({ path }) => !path.endsWith('.helmignore'))
    .map((file) => ({
      ...file,
      path: `crier/${file.path.slice(CHART.length + 1)}`,
      bytes: /\/(values\.yaml|README\.md)$/.test(file.path)
        ? Buffer.from(withImages(options, Buffer.from(file.bytes).toString('utf8')))
        : file.bytes,
    }));
  writeFileSync(join(into, `crier-${version}.tgz`), gzipped(await tarOf(files, at)));
}

/** Where the images of a checkout are said to be: one value of the chart. */
export function imagesOf(root: string): string {
  return /^imageRegistry: (\S+)$/m.exec(readFileSync(join(root, CHART, 'values.yaml'), 'utf8'))![1]!;
}

function withImages({ root, images }: ReleaseOptions, text: string): string {
  return images === undefined ? text : text.replaceAll(imagesOf(root), images);
}

const DOCKERFILE = 'deploy/Dockerfile';

/** What `docker build` sends: what .dockerignore leaves, and the Dockerfile, which builders read apart from that. */
async function writeImageContext({ root, into, version, at }: ReleaseOptions): Promise<void> {
  const isIgnored = ignoredBy(readFileSync(join(root, '.dockerignore'), 'utf8'));
  const files = trackedFiles(root, '').filter(({ path }) => path === DOCKERFILE || !isIgnored(path));
  writeFileSync(join(into, `crier-${version}.image-context.tar`), await tarOf(files, at));
}

function releaseNotes({ root, version }: ReleaseOptions): string {
  const of = (page: string): string =>
    notesIn(readFileSync(join(root, page), 'utf8')).find(({ name }) => name === version)?.text ?? '';
  return `# Crier ${version}\n\n${of('CHANGELOG.md')}\n\n## Upgrading\n\n${of('UPGRADING.md')}`;
}

/** As `sha256sum --check` reads it. */
function writeSums(folder: string): void {
  const lines = readdirSync(folder)
    .sort(compare)
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}
