import { afterEach, expect, test, vi } from 'vitest';
import { runCommandLine } from './main.ts';
import type { Terminal } from './terminal.ts';
import { VERBS } from './verbs.ts';

const CHANNELS = [
  { id: '01a20656-c67b-7640-bbf0-86c2328cf8d5', name: 'Acme', network: 'x', state: 'connected' },
  { id: '01a20656-c6d2-702b-994e-7ea995cbe0ef', name: '日本語の店', network: 'threads', state: 'needs_reconnect' },
];

afterEach(() => void vi.unstubAllGlobals());

/** `lost`: what becomes of each request that changes something. */
interface RunOptions {
  readonly data?: unknown;
  readonly tty?: boolean;
  readonly columns?: number;
  readonly lost?: Error;
  /** Ctrl-C is pressed while the first request that changes something is under way. */
  readonly isInterrupted?: boolean;
  /** What stands in standard input. */
  readonly input?: string;
}

/** Runs one command on a terminal of a test; the server answers every request with `data`. */
async function run(args: readonly string[], options: RunOptions = {}) {
  const { data = CHANNELS, tty = false, columns = 100, lost, isInterrupted = false, input = null } = options;
  const interruption = new AbortController();
  const requests: string[] = [];
  const bodies: unknown[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    requests.push(`${init.method} ${new URL(url).pathname}`);
    if (typeof init.body === 'string') bodies.push(JSON.parse(init.body));
    if (isInterrupted && init.method === 'POST') interruption.abort(new Error('interrupted'));
    init.signal?.throwIfAborted();
    if (lost !== undefined && init.method === 'POST') throw lost;
    return Response.json({ data, nextCursor: null });
  });
  let [out, said] = ['', ''];
  const terminal: Terminal = {
    out: (text) => void (out += text),
    say: (text) => void (said += text),
    outIsTerminal: tty,
    sayIsTerminal: tty,
    columns,
    environment: { CRIER_URL: 'https://crier.test', CRIER_KEY: 'crier_key', XDG_CONFIG_HOME: '/nowhere' },
    ask: async () => null,
    input: async () => input,
    interrupted: interruption.signal,
  };
  const code = await runCommandLine(args, { terminal, operators: ['start', 'doctor'] });
  return { code, out, said, requests, bodies };
}

test.each(VERBS)('crier $name --help shows every flag and an example, and asks no server', async (verb) => {
  const { code, out, requests } = await run([...verb.name.split(' '), '--help']);
  expect([code, requests]).toEqual([0, []]);
  for (const flag of [...verb.flags, { name: 'json' }]) expect(out).toContain(`--${flag.name}`);
  expect(out).toContain(`For example:\n\n  crier ${verb.name}`);
});

test.each([
  [['posts', '--stauts', 'failed'], 'Did you mean --status?'],
  [['webhooks', 'ad', 'https://a.test'], 'Did you mean crier webhooks add?'],
  [['media'], 'crier media needs a second word\n  media upload FILE...'],
  [['cancel'], 'ID is missing: crier cancel ID'],
  [['cancel', '1', '2'], '"2" is one word too many'],
  [['posts', '--limit'], '--limit takes a value'],
  [['posts', '--limit', 'many'], 'a whole number'],
  [['post', 'Hi'], '--channel is missing'],
  [['post', '--channel', 'x'], 'a text is missing'],
  [['post', 'Hi', '--channel', 'thrads'], 'Did you mean threads?'],
  [['post', 'Hi', '--channel', 'x', '--at', 'sometime'], 'tomorrow 09:00, or +2h'],
  [['post', 'Hi', '--channel', 'x', '--at', '2027-10-31 02:30 Europe/Berlin'], '+02:00 or 2027-10-31T02:30+01:00'],
  [['post', 'Hi', '--channel', 'x', '--option', 'x.replySetings=following'], 'Did you mean replySettings?'],
  [['post', 'Hi', '--channel', 'x', '--option', 'threads.topicTag=a'], 'add --channel threads'],
  [['post', 'Hi', '--channel', 'x', '--alt', 'a'], '1 --alt for 0 --media'],
  [['post', '-5 degrees today', '--channel', 'x'], 'stands at the end, behind --'],
  [['import'], 'FILE.csv is missing'],
  [['import', 'a.csv', '--yes', '--dry-run'], 'give one of them'],
  [['completion', 'powershell'], 'none of bash, zsh, fish'],
])('crier %j is wrong usage, and says what to write', async (args, words) => {
  const { code, out, said, requests } = await run(args);
  expect([code, out]).toEqual([2, '']);
  expect(said).toContain(words);
  expect(requests.filter((request) => !request.startsWith('GET'))).toEqual([]);
});

test('a text that begins with - is one behind --', async () => {
  const data = { id: 'p', text: '', at: '2026-12-01T09:00:00Z', via: null, media: [], variants: [] };
  const { requests } = await run(['post', '--channel', CHANNELS[0]!.id, '--json', '--', '-5 degrees today'], {
    data: Object.assign([...CHANNELS], data),
  });
  expect(requests).toEqual(['GET /api/channels', 'POST /api/posts']);
});

test.each([
  ['ECONNRESET', true],
  ['ECONNREFUSED', false],
])('of a Post whose answer was lost (%s) it is said whether it may be there', async (code, mayBe) => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const done = run(['post', 'Hi', '--channel', 'x', '--at', '+2h'], {
    lost: new TypeError('fetch failed', { cause: Object.assign(new Error('lost'), { code }) }),
  });
  await vi.runAllTimersAsync();
  vi.useRealTimers();
  const { code: exitCode, said } = await done;
  expect([exitCode, said.includes('may have been created all the same')]).toEqual([1, mayBe]);
});

test('of a Post whose creation was interrupted it is said that it may be there', async () => {
  const { code, said } = await run(['post', 'Hi', '--channel', 'x', '--at', '+2h'], { isInterrupted: true });
  expect(code).toBe(130);
  expect(said).toContain('may have been created all the same');
});

test('a text of standard input has the line ends of a Post, and none at its end, wherever it was written', async () => {
  for (const [input, text] of [
    ['Good\nmorning\n', 'Good\nmorning'],
    ['Good\r\nmorning\r\n', 'Good\nmorning'],
    ['Good\n\n', 'Good\n'],
  ] as const) {
    const { bodies } = await run(['post', '-', '--channel', 'x', '--at', '+2h'], { input });
    expect(bodies).toMatchObject([{ text }]);
  }
});

test('a table lines up wide characters, in colour for a person only', async () => {
  const plain = await run(['channels']);
  expect(plain.out).toBe(
    [
      'CHANNEL     NETWORK  STATE            ID',
      'Acme        x        connected        01a20656-c67b-7640-bbf0-86c2328cf8d5',
      '日本語の店  threads  needs reconnect  01a20656-c6d2-702b-994e-7ea995cbe0ef',
      '',
    ].join('\n'),
  );
  expect((await run(['channels'], { tty: true })).out).toContain('\u001B[32mconnected');
});

test('a narrow terminal shortens the long column, whole characters at a time', async () => {
  const data = [{ ...CHANNELS[0], name: '👩‍👩‍👧‍👦 family '.repeat(10) }];
  const { out } = await run(['channels'], { data, columns: 80 });
  expect(out.split('\n')[1]).toMatch(/^👩‍👩‍👧‍👦 family .*… +x +connected/);
});

test.each([
  [['po'], ['post', 'posts']],
  [['st'], ['start']],
  [['webhooks', 'ro'], ['rotate']],
  [['posts', '--st'], ['--status']],
  [
    ['posts', '--status', 'p'],
    ['publishing', 'published'],
  ],
  [['post', '--channel', 'A'], ['Acme']],
  [['post', '--channel', '日'], ['日本語の店']],
  [['post', '--media', 'a'], [':files']],
  [['completion', 'z'], ['zsh']],
])('completes %j', async (words, candidates) => {
  const { out } = await run(['__complete', ...words]);
  expect(out.split('\n').filter((line) => line !== '')).toEqual(candidates);
});
