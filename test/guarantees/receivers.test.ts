import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signatureOf as sign } from '#domain/webhook/signature.ts';
import { until } from '#testing/until.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples/receivers');
const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIGFzIGl0IGlz';
const OLD_SECRET = 'whsec_YW5vdGhlciBzZWNyZXQgb2YgYSB0ZXN0';

const built = mkdtempSync(join(tmpdir(), 'receivers-'));

/** Runs a tool to its end. A missing language fails the test, because an example that was never run may be wrong. */
function runTool(command: string, given: readonly string[], folder: string, install: string): void {
  const run = spawnSync(command, given, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod', GOPROXY: 'off' },
  });
  if (run.error !== undefined)
    throw new Error(`${command} is needed to try examples/receivers; install it: apt-get install ${install}`, {
      cause: run.error,
    });
  if (run.status !== 0) throw new Error(`${command} ${given.join(' ')}: ${run.stderr}`);
}

interface Language {
  readonly name: string;
  /** Checks that the language is installed, and compiles what needs compiling. */
  prepare(): void;
  readonly command: readonly [string, ...string[]];
}

const LANGUAGES: readonly Language[] = [
  { name: 'typescript', prepare: () => {}, command: [process.execPath, join(EXAMPLES, 'typescript/receiver.ts')] },
  {
    name: 'python',
    prepare: () => runTool('python3', ['--version'], EXAMPLES, 'python3'),
    command: ['python3', '-B', join(EXAMPLES, 'python/receiver.py')],
  },
  {
    name: 'go',
    prepare: () => runTool('go', ['build', '-o', join(built, 'receiver'), '.'], join(EXAMPLES, 'go'), 'golang-go'),
    command: [join(built, 'receiver')],
  },
];

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  /** What it printed since it listens. */
  readonly lines: readonly string[];
}

async function startReceiver([command, ...given]: Language['command']): Promise<Running> {
  const child = spawn(command, given, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, WEBHOOK_SECRET: SECRET, PORT: '0' },
  });
  const output = createInterface(child.stdout!);
  const lines: string[] = [];
  const ended = once(child, 'exit').then(() => ['']);
  const [first] = (await Promise.race([once(output, 'line'), ended])) as [string];
  if (!first.startsWith('listening on ')) throw new Error(`${command} does not listen: ${first}`);
  output.on('line', (line) => lines.push(line));
  return { child, url: first.replace('listening on ', ''), lines };
}

interface Delivery {
  readonly body?: Uint8Array;
  readonly signature?: string | undefined;
  readonly method?: string;
}

/** The status with which a delivery is answered. */
async function deliver(
  url: string,
  { body = new Uint8Array(), signature, method = 'POST' }: Delivery,
): Promise<number> {
  const sent = request(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(signature === undefined ? {} : { 'service-signature': signature }),
    },
  });
  const answered = once(sent, 'response');
  if (method === 'POST') sent.setHeader('content-length', body.length);
  sent.end(method === 'POST' ? body : undefined);
  const [response] = (await answered) as [{ statusCode: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

let made = 0;
/** An event with an id of its own, in bytes that parsing and writing again would change. */
function event(more = ''): { readonly id: string; readonly body: Buffer } {
  const id = `0197-${(made += 1)}`;
  return {
    id,
    body: Buffer.from(
      `{ "id":"${id}","type":"variant.published", "data":{"text":"Grüße, 世界 👋 \\u00e9 1.0","n":1.0}${more} }`,
    ),
  };
}

afterAll(() => rmSync(built, { recursive: true }));

describe.each(LANGUAGES)('the receiver in $name', ({ prepare, command }) => {
  let receiver: Running;
  // The first build on a machine compiles the standard library, too.
  beforeAll(async () => {
    prepare();
    receiver = await startReceiver(command);
  }, 600_000);
  afterAll(() => receiver?.child.kill('SIGKILL'));

  const send = (body: Uint8Array, signature: string | undefined = sign(body, [SECRET], Date.now())) =>
    deliver(receiver.url, { body, signature });
  const timesActedOn = (id: string) => receiver.lines.filter((line) => line === `event variant.published ${id}`).length;

  test('accepts a signed event, and acts on it once however often it comes', async () => {
    const { id, body } = event();
    expect(await send(body)).toBe(204);
    await until(() => timesActedOn(id) === 1, { what: 'the event is acted on' });
    expect(await send(body, sign(body, [SECRET], Date.now() + 2_000))).toBe(204);
    const twice = event();
    expect(await Promise.all(Array.from({ length: 8 }, () => send(twice.body)))).toEqual(Array(8).fill(204));
    const last = event();
    await send(last.body);
    await until(() => timesActedOn(last.id) === 1, { what: 'the last event is acted on' });
    expect([timesActedOn(id), timesActedOn(twice.id)]).toEqual([1, 1]);
  });

  test('accepts either of two signatures while the secret is being replaced', async () => {
    for (const secrets of [
      [OLD_SECRET, SECRET],
      [SECRET, OLD_SECRET],
    ]) {
      const { body } = event();
      expect(await send(body, sign(body, secrets, Date.now()))).toBe(204);
    }
  });

  test('refuses other bytes, another secret, part of the secret, and an old or far future time', async () => {
    const { id, body } = event();
    const now = Date.now();
    const right = sign(body, [SECRET], now);
    const refused = [
      await send(Buffer.concat([body, Buffer.from(' ')]), right),
      await send(Buffer.from(JSON.stringify(JSON.parse(body.toString()))), right),
      await send(body, sign(body, [OLD_SECRET], now)),
      await send(body, sign(body, [SECRET.replace('whsec_', '')], now)),
      await send(body, sign(body, [SECRET], now - 302_000)),
      await send(body, sign(body, [SECRET], now + 400_000)),
      await send(body, right.replace(/t=\d+/, `t=${Math.floor(now / 1000) - 1}`)),
    ];
    expect(refused).toEqual(Array(refused.length).fill(401));
    expect(await send(body, sign(body, [SECRET], now - 240_000))).toBe(204);
    await until(() => timesActedOn(id) === 1, { what: 'only the right one is acted on' });
  });

  test.each([
    '',
    ',',
    '=',
    't=,v1=',
    't=now,v1=abc',
    'v1',
    't=1',
    't=1,v1=',
    `t=${'9'.repeat(30)},v1=${'0'.repeat(64)}`,
    't=-1,v1=00',
    `t=1,${'v1=00,'.repeat(500)}`,
    'v1=ü',
    `t=NaN,v1=${'g'.repeat(64)}`,
  ])('refuses an invalid signature: %s', async (signature) => {
    const { body } = event();
    expect(await send(body, Buffer.from(signature).toString('latin1'))).toBe(401);
  });

  test('refuses a request without a signature, and survives bodies that are not JSON', async () => {
    expect(await deliver(receiver.url, { body: event().body })).toBe(401);
    expect(
      await deliver(receiver.url, {
        body: Buffer.alloc(0),
        signature: sign(Buffer.alloc(0), [OLD_SECRET], Date.now()),
      }),
    ).toBe(401);
    expect(await send(Buffer.alloc(2 * 1_048_576, 'a'))).toBe(413);
    expect(await send(event().body)).toBe(204);
  });

  test('answers the HEAD request of registering', async () => {
    expect(await deliver(receiver.url, { method: 'HEAD' })).toBeLessThan(300);
  });
});
