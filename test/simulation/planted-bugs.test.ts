import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Message } from '#messages/messages.ts';
import { ALL_BUGS } from './planted/all-bugs.ts';
import { readCatches } from './planted/catches.ts';
import { NAMED_KINDS } from './planted/kinds.ts';
import { plantedBugsPage } from './planted/page.ts';
import type { PlantedBug } from './planted/planted-bug.ts';
import { plantedSources, projectFile } from './planted/source-edits.ts';
import { unreadableIn } from './planted/unreadable.ts';
import { World } from './world.ts';

const SOAK = process.env['CRIER_TEST_SOAK'] !== undefined;
const HOURS_MS = 4 * 3_600_000;
/** On a machine that others keep busy; half a minute of processor. */
const BUSY_MS = 1_200_000;
/** Where the code changed, another world than the recorded one may be the first that sees a bug. */
const MAX_WORLDS_IN_SHORT = 30;

/** Some of each room, each seen in the world that is recorded. */
const IN_SHORT: readonly string[] = [
  'A new owner does not carry out the outbox of the last turn',
  'The head is written over any version',
  'The outbox is emptied though relaying it failed',
  'All callers of a turn get the answer of its last command',
  'Each carrying out of a turn makes events of its own',
  'Every second Variant that comes due fails as missed',
  'Publishing does not spend the credit',
  'A Variant that is due a minute early is published',
  'A watermark is moved beyond timers that have not fired, and the next owner trusts it',
  'An append of fired timers that fails is given up',
  'A clock that is put back is not noticed',
  'Timers that are near go through no topic',
  'The rows of timers are not written',
  'Jobs are sent twice, and no publisher sees the arm of another',
  'An armed attempt is taken for not published, without asking the Network',
  'Nothing that is held is seen',
  'A process that begins while something is held does not know of it',
  'A caller is told that it was not done when the answer of the append is lost',
  'All files of a Post that have one target share one rendition',
  'The signature leaves out the instant',
  'A revoked invitation stays open',
];

describe('planted bugs', () => {
  test('every one applies to the source as it is', () => {
    const failures = ALL_BUGS.flatMap((bug) => {
      try {
        plantedSources(bug);
        return [];
      } catch (error) {
        return [String(error)];
      }
    });
    expect(failures).toEqual([]);
    expect(new Set(ALL_BUGS.map(({ name }) => name)).size).toBe(ALL_BUGS.length);
  });

  const PLANTED: PlantedBug = {
    name: 'a test',
    edits: [{ file: 'libs/concurrency/heap.ts', find: 'x', replace: '' }],
    suite: '',
  };
  test.each([
    ['text that is not there', 'there is none of it', 'has nothing like'],
    ['text that stands twice', 'const items = this.#items;', '2 places like'],
  ])('one that names %s does not apply, and says so', (_, find, words) => {
    const edits = [{ file: 'libs/concurrency/heap.ts', find, replace: '' }];
    expect(() => plantedSources({ ...PLANTED, edits })).toThrow(words);
  });

  test('one that names a file that is not there, or makes no TypeScript, does not apply', () => {
    const file = 'libs/concurrency/heap.ts';
    expect(() => plantedSources({ ...PLANTED, edits: [{ file: 'services/none.ts', find: 'x', replace: '' }] })).toThrow(
      'there is no services/none.ts',
    );
    expect(() =>
      plantedSources({ ...PLANTED, edits: [{ file, find: 'export class Heap<T> {', replace: 'export class {{' }] }),
    ).toThrow('makes no TypeScript');
  });

  test('messages that no release can read are noticed, since no code that was compiled writes them', () => {
    const { codec, witness } = new World({ seed: 1 });
    const unreadable = (reason: string): string | null => {
      const report = { type: 'PublishFailed', workspaceId: 'a', variantId: 'b', attempt: 1, reason, detail: '' };
      const record = { topic: 'any', partition: 0, offset: 0, key: 'a', timestamp: 0 };
      const value = codec.encode(report as Message);
      return unreadableIn({ codec, witness, log: { control: { records: () => [{ ...record, value }] } } });
    };
    expect(unreadable('rejected_by_platform')).toBeNull();
    expect(unreadable('rejected')).toContain("PublishFailed.reason can't be");
    witness.defects.push({ process: 'a', event: 'handling-retried', error: 'Error: invalid "int": "1"', at: 0 });
    expect(unreadable('rejected_by_platform')).toContain('invalid "int"');
  });

  test('every kind that the audit named has a planted bug', () => {
    const names = new Set(ALL_BUGS.map(({ name }) => name));
    expect(NAMED_KINDS.filter(({ bugs }) => bugs.length === 0)).toEqual([]);
    expect(NAMED_KINDS.flatMap(({ bugs }) => bugs.filter((name) => !names.has(name)))).toEqual([]);
  });

  test("docs/planted-bugs.md is today's: npm run planted -- --record and npm run docs write it", () => {
    const recorded = readCatches();
    expect(Object.keys(recorded)).toEqual(ALL_BUGS.flatMap(({ name }) => (name in recorded ? [name] : [])));
    expect(IN_SHORT.filter((name) => !ALL_BUGS.some((bug) => bug.name === name))).toEqual([]);
    expect(readFileSync(projectFile('docs/planted-bugs.md'), 'utf8')).toBe(plantedBugsPage());
  });

  test.skipIf(SOAK)(
    'some of each room are noticed in a world that is well without them',
    { timeout: BUSY_MS },
    async () => {
      const names = IN_SHORT.flatMap((name) => ['--bug', name]);
      await expectNoEscape(['--short', '--worlds', String(MAX_WORLDS_IN_SHORT), ...names]);
    },
  );

  test.runIf(SOAK)('all are noticed', { timeout: HOURS_MS }, () => expectNoEscape([]));
});

/** In a process of its own, in which the source is changed as it is loaded. */
async function expectNoEscape(options: readonly string[]): Promise<void> {
  const program = fileURLToPath(projectFile('test/simulation/planted/main.ts'));
  // What Vitest tells its workers would tell the Vitest that the program runs that it is one of them.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const child = spawn(process.execPath, [program, ...options], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  console.log(output);
  expect(code, output).toBe(0);
}
