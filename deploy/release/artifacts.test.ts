import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION } from '#config/version.ts';
import { toolAt } from '#testing/tool-at.ts';
import { gzipped, tarOf } from './archive.ts';
import { normalizedBill } from './bill-of-materials.ts';
import { refusalOf } from './checkout.ts';
import { ignoredBy } from './docker-ignore.ts';
import { nameOf, shippedPackages, type LockFile } from './shipped-packages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CHILD = join(import.meta.dirname, 'artifacts.child.ts');
const HELM = toolAt('helm');
const run = promisify(execFile);

/** Names of what a tar holds, in order. */
function namesIn(tar: Buffer): readonly string[] {
  return execFileSync('tar', ['--list', '--file=-'], { input: tar, encoding: 'utf8' }).trim().split('\n');
}

describe('the artifacts of this checkout, made twice', () => {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const read = (name: string): Buffer => readFileSync(join(first, name));
  beforeAll(async () => {
    const make = (into: string, umask: string, TZ: string) =>
      run('bash', ['-c', `umask ${umask}; exec "$@"`, 'bash', process.execPath, CHILD, ROOT, into, VERSION], {
        env: { ...process.env, TZ, LC_ALL: 'C' },
      });
    await make(first, '022', 'UTC');
    await make(second, '077', 'Asia/Kolkata');
  }, 900_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  test('are the same bytes under another umask and in another time zone', () => {
    expect(readdirSync(first)).toEqual([
      'SHA256SUMS',
      `crier-${VERSION}.image-context.tar`,
      `crier-${VERSION}.images.txt`,
      `crier-${VERSION}.notes.md`,
      `crier-${VERSION}.sbom.cdx.json`,
      `crier-${VERSION}.tgz`,
      `crier-client-${VERSION}.tgz`,
      `crier-receivers-${VERSION}.tgz`,
    ]);
    for (const name of readdirSync(first)) expect(read(name).equals(readFileSync(join(second, name))), name).toBe(true);
  });

  test('have a bill of materials with all that ships, and nothing for development', () => {
    const { components } = JSON.parse(read(`crier-${VERSION}.sbom.cdx.json`).toString()) as {
      readonly components: readonly { readonly purl: string; readonly hashes?: readonly unknown[] }[];
    };
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as LockFile;
    const shipped = shippedPackages(lock).map(([folder, each]) => `pkg:npm/${nameOf(folder, each)}@${each.version}`);
    expect(components.map(({ purl }) => decodeURIComponent(purl)).toSorted()).toEqual([...new Set(shipped)].toSorted());
    expect(components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
  });

  test('have the sums that are published', async () => {
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: first });
    expect(stdout.trim().split('\n')).toHaveLength(readdirSync(first).length - 1);
  });

  test('hold what whoever takes them needs, and nothing for tests', () => {
    const [client, receivers, chart] = ['crier-client-', 'crier-receivers-', 'crier-'].map((name) =>
      namesIn(gunzipSync(read(`${name}${VERSION}.tgz`))),
    );
    expect(client).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/client.js', 'dist/client.d.ts'].map(inPackage)),
    );
    expect(receivers).toEqual(
      expect.arrayContaining(['LICENSE', 'go/main.go', 'python/receiver.py', 'typescript/receiver.ts'].map(inPackage)),
    );
    expect(chart).toEqual(
      expect.arrayContaining(['crier/Chart.yaml', 'crier/values.schema.json', 'crier/templates/deployments.yaml']),
    );
    const context = namesIn(read(`crier-${VERSION}.image-context.tar`));
    expect(context).toEqual(
      expect.arrayContaining(['deploy/Dockerfile', 'package-lock.json', 'bin/crier', 'services/crier/cli/main.ts']),
    );
    for (const name of [...client!, ...receivers!, ...chart!, ...context])
      expect(name).not.toMatch(/\.test\.ts$|^test\/|^\.git\/|node_modules/);
    expect(read(`crier-${VERSION}.notes.md`).toString()).toMatch(
      /^# Crier .+\n\n[^]+### Added[^]+## Upgrading\n\n- \*\*Before/,
    );
  });

  test.skipIf(HELM === null)('hold a chart that helm takes', async () => {
    const chart = join(first, `crier-${VERSION}.tgz`);
    expect((await run(HELM!, ['show', 'chart', chart])).stdout).toContain(`version: ${VERSION}`);
    expect((await run(HELM!, ['template', 'crier', chart])).stdout).toContain('kind: StatefulSet');
  });
});

const inPackage = (path: string): string => `package/${path}`;

test('an archive does not tell in which order its files were found, and by whom', async () => {
  const at = new Date(0);
  const files = ['b', 'B', 'a'].map((path) => ({ path, bytes: Buffer.from(path), isExecutable: path === 'a' }));
  const [tar, reversed] = [await tarOf(files, at), await tarOf([...files].reverse(), at)];
  expect(tar.equals(reversed)).toBe(true);
  expect(namesIn(tar)).toEqual(['B', 'a', 'b']);
  expect((await tarOf(files, new Date(1_000))).equals(tar)).toBe(false);
  expect(gunzipSync(gzipped(tar)).equals(tar)).toBe(true);
});

test('two bills of materials differ in nothing but what they list', () => {
  const printed = (serial: string, at: string, name: string, listed: readonly string[]): string =>
    JSON.stringify({ serialNumber: serial, metadata: { timestamp: at, component: { name } }, components: listed });
  const of = (text: string): string => normalizedBill(text, 'crier', new Date(0));
  const [one, other] = [printed('1', 'now', 'here', ['a']), printed('2', 'then', 'there', ['a'])].map(of);
  expect(one).toBe(other);
  expect(one).toMatch(/"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"/);
  expect(of(printed('1', 'now', 'here', ['b']))).not.toBe(one);
});

test('a release is refused by a sentence where files differ from the commit, or there is none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkout-'));
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.test', ...words], { cwd: folder });
  try {
    expect(refusalOf(folder)).toMatch(/no checkout of git\.$/);
    git('init', '--quiet');
    writeFileSync(join(folder, 'one'), '1');
    git('add', 'one');
    git('commit', '--quiet', '--message=one');
    expect(refusalOf(folder)).toBe(null);
    writeFileSync(join(folder, 'two'), '2');
    expect(refusalOf(folder)).toMatch(/^A release is made of a commit, and two differs from it: /);
    writeFileSync(join(folder, 'one'), '2');
    expect(refusalOf(folder)).toMatch(/one and 1 more differ from it/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the context of an image leaves out what stands in a folder that is left out', () => {
  const isIgnored = ignoredBy('# all of\nhelm\n**/*.test.ts\ndeploy/compose.yaml\n');
  const paths = ['helm/crier/Chart.yaml', 'helmet.ts', 'libs/a.test.ts', 'deploy/compose.yaml', 'deploy/warm-up.ts'];
  expect(paths.filter((path) => !isIgnored(path))).toEqual(['helmet.ts', 'deploy/warm-up.ts']);
});
