import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLimited, type LimitedCommand } from './limited-run.ts';
import { confinementWords, findConfinement, type Reach } from './confinement.ts';

const PROGRAM = fileURLToPath(new URL('./hostile-program.fixture.pl', import.meta.url));

let folder: string;
let server: Server;
let connections = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crier-confined-'));
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const file = (name: string) => join(folder, name);

/** What the hostile program did and did not do, beside the secret of a data folder. */
async function attack(reach: Reach | 'unconfined'): Promise<Readonly<Record<string, string>>> {
  await Promise.all(['secrets.json', 'secrets.json.copy', 'given'].map((name) => writeFile(file(name), 'a secret')));
  await rm(file('secrets.json.new'), { force: true });
  const port = String((server.address() as { port: number }).port);
  const command: LimitedCommand = {
    program: 'perl',
    args: [PROGRAM, file('secrets.json'), file('given'), file('written'), port, String(process.pid)],
    reach: reach === 'unconfined' ? reach : { ...reach, reads: [...reach.reads, PROGRAM] },
    ...{ memoryBytes: 1e9, timeMs: 20_000, threads: 1, fileBytes: 1e6 },
  };
  const run = await runLimited(command);
  if (run.kind !== 'ended') throw new Error(`the program is ${run.kind}`);
  return Object.fromEntries(
    run.output
      .trimEnd()
      .split('\n')
      .map((line) => line.split(': ') as [string, string]),
  );
}

const ATTEMPTS = 19;
const HARMLESS = ['reads what it is given', 'writes its file'];

test('a decoder that a file took over reads its file and writes its result, and does nothing else', async () => {
  const before = connections;
  const did = await attack({ reads: [file('given')], writes: [file('written')] });
  const done = Object.keys(did).filter((deed) => did[deed] === 'yes');
  expect(done).toEqual(HARMLESS);
  expect(Object.keys(did)).toHaveLength(ATTEMPTS);
  expect(await readFile(file('secrets.json'), 'utf8')).toBe('a secret');
  expect((await stat(file('written'))).size).toBe(4);
  expect(connections).toBe(before);
});

test('the same program does all of it where it is not confined', async () => {
  const did = await attack('unconfined');
  expect(Object.entries(did).filter(([, what]) => what !== 'yes')).toEqual([]);
  expect(Object.keys(did)).toHaveLength(ATTEMPTS);
});

test('what the kernel offers is known', async () => {
  const found = await findConfinement();
  expect(found).toEqual({ landlock: expect.any(Number), seccomp: true, missing: null });
  expect(confinementWords(found).isWhole).toBe(true);
});

test.each([
  [{ landlock: 0, seccomp: true, missing: null }, /^seccomp: no network.*They can read what Crier can/],
  [{ landlock: 4, seccomp: false, missing: null }, /^Landlock 4: no file but their own\. The kernel has no seccomp/],
  [{ landlock: 0, seccomp: false, missing: null }, /neither Landlock nor seccomp$/],
  [{ landlock: 0, seccomp: false, missing: 'only Linux can' }, /^nothing but limits.*: only Linux can$/],
])('what is weaker is said: %j', (found, words) => {
  expect(confinementWords(found)).toEqual({ isWhole: false, detail: expect.stringMatching(words) });
});
