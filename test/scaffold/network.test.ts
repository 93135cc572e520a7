import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockSchemas } from '../../libs/codec/lock.ts';
import { scaffoldNetwork } from '../../libs/networks/scaffold/write-network.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LEFT_OUT = new Set(['node_modules', '.git', '.cache', '.crier', 'bench-results']);
const BUILD_INFO = '.cache/types.tsbuildinfo';
/** With the tests that hold every Network to its folder and to its page. */
const TESTS = [
  'libs/networks/mastodon',
  'services/sandbox/mastodon',
  'libs/networks/registry.test.ts',
  'services/crier/compose/network-pages.test.ts',
];

const run = promisify(execFile);
let tree: string;

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'crier-scaffold-'));
  for (const name of readdirSync(ROOT).filter((each) => !LEFT_OUT.has(each)))
    cpSync(join(ROOT, name), join(tree, name), { recursive: true });
  // Where types were checked before, only what the new Network touches is checked again.
  if (existsSync(join(ROOT, BUILD_INFO))) cpSync(join(ROOT, BUILD_INFO), join(tree, BUILD_INFO));
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

/** Resolves with '' when the program succeeds, else with what it printed. */
async function problemsOf(program: string, ...parameters: readonly string[]): Promise<string> {
  // Of these tests of tests, nothing is charged to a file.
  const { VITEST: _, CRIER_TEST_COSTS: __, ...env } = process.env;
  const path = join(tree, 'node_modules', '.bin');
  const options = { cwd: tree, env: { ...env, PATH: `${path}:${env['PATH']}` }, maxBuffer: 10_000_000 };
  return run(join(path, program), [...parameters], options).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
  );
}

test('a scaffolded Network compiles, passes its tests, and is formatted', { timeout: 600_000 }, async () => {
  const written = scaffoldNetwork(tree, 'mastodon');
  const vocabulary = readFileSync(join(tree, 'schemas/avro/PublishVariant.avsc'), 'utf8');
  expect(vocabulary).toContain('"threads", "mastodon"]');
  expect(lockSchemas(pathToFileURL(join(tree, 'schemas/avro/'))).conflicts).toEqual([]);
  expect(await problemsOf('prettier', '--log-level=warn', '--ignore-unknown', '--write', ...written)).toBe('');
  const found = await Promise.all([
    // Each further checker works out for itself what types mean that files have in common.
    problemsOf('tsc', '--noEmit', '--checkers', '1'),
    problemsOf('vitest', 'run', '--project', 'unit', ...TESTS),
  ]);
  expect(found).toEqual(['', '']);
});

test('a Network is scaffolded whole or not at all', () => {
  const network = () => readFileSync(join(tree, 'libs/domain/network.ts'), 'utf8');
  const before = network();
  for (const name of ['', 'Mastodon', '4chan', '../x', 'x-y'])
    expect(() => scaffoldNetwork(tree, name)).toThrow('can not be a Network');
  for (const name of ['threads', 'mastodon']) expect(() => scaffoldNetwork(tree, name)).toThrow('is there already');
  rmSync(join(tree, 'services/sandbox/page-style.ts'));
  expect(() => scaffoldNetwork(tree, 'bluesky')).toThrow();
  expect(existsSync(join(tree, 'libs/networks/bluesky'))).toBe(false);
  expect(network()).toBe(before);
});
