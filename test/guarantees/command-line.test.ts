import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERBS } from '#clients/command-line/verbs.ts';
import { CRIER, CrierUnderTest } from '#testing/crier-process.ts';
import { endWithUs } from '#testing/engines/process.ts';
import { until } from '#testing/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');

interface CommandEnding {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the command line, as a user of a shell has it', () => {
  let server: CrierUnderTest;
  const folder = mkdtempSync(join(tmpdir(), 'command-line-'));
  const credentials = join(folder, 'config/crier/credentials.json');
  beforeAll(async () => {
    // No Post is recognised by what it is, so only what the import does itself holds that none is there twice.
    server = await CrierUnderTest.start({
      env: { CRIER_REQUESTS_PER_MINUTE: '0', CRIER_DUPLICATE_WINDOW_SECONDS: '0', CRIER_NETWORK_BUDGETS: 'off' },
    });
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'examples'));
    symlinkSync(CRIER, join(folder, 'bin/crier'));
    cpSync(join(ROOT, 'examples/import.csv'), join(folder, 'examples/import.csv'));
    cpSync(join(ROOT, 'libs/testing/fixtures/photo.jpg'), join(folder, 'photo.jpg'));
    cpSync(join(ROOT, 'libs/testing/fixtures/photo-2.jpg'), join(folder, 'other.jpg'));
    writeFileSync(join(folder, 'key.txt'), `${server.ready.demo!.apiKey}\n`);
    expect(await crier(`login --url ${server.ready.baseUrl} --key ${server.ready.demo!.apiKey}`)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('6 Channels'),
    });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  function begin(line: string, env: Readonly<Record<string, string>> = {}) {
    const path = `${join(folder, 'bin')}:${process.env['PATH']}`;
    const child = spawn('bash', ['-c', `exec crier ${line}`], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: path, XDG_CONFIG_HOME: join(folder, 'config'), TZ: 'Europe/Berlin', COLUMNS: '160', ...env },
    });
    endWithUs(child);
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = new Promise<CommandEnding>((done) => child.once('close', (code) => done({ code, stdout, stderr })));
    return { child, ended, said: () => stderr };
  }
  const crier = (line: string, env: Readonly<Record<string, string>> = {}) => begin(line, env).ended;
  const json = async (line: string) => JSON.parse((await crier(`${line} --json`)).stdout);
  const countOf = async (word: string) =>
    (await server.api().listPosts({ limit: '500' })).filter(({ text }) => text.startsWith(word)).length;
  const csv = (name: string, lines: readonly string[]): string => {
    writeFileSync(join(folder, name), `${lines.join('\r\n')}\r\n`);
    return name;
  };

  test('every example of every verb does what it says', { timeout: 300_000 }, async () => {
    const { channels } = server.ready.demo!;
    const scheduledAt = new Date(Date.now() + 48 * 3_600_000).toISOString();
    const post = await server.api().createPost({ text: 'for examples', channelIds: [channels['x']], scheduledAt });
    const endpoint = (await json('webhooks add https://inbox.sandbox/examples')) as { id: string };
    const delivery = (await json(`webhooks test ${endpoint.id}`)) as { id: string };
    const delivered = async () => (await crier('webhooks')).stdout.includes('succeeded');
    await until(delivered, { what: 'the test delivered', withinMs: 90_000, everyMs: 200 });
    const failed = await failedVariant();
    const ids: Readonly<Record<string, string>> = {
      'post get': post.id,
      cancel: post.id,
      retry: failed,
      'webhooks test': endpoint.id,
      'webhooks rotate': endpoint.id,
      'webhooks replay': delivery.id,
      'webhooks remove': endpoint.id,
    };
    // What signs out or removes comes last, since the others need it.
    const last = ['webhooks remove', 'logout'];
    const verbs = [...VERBS].sort((a, b) => last.indexOf(a.name) - last.indexOf(b.name));
    for (const { name, examples } of verbs) {
      expect(examples.length, name).toBeGreaterThan(0);
      for (const example of examples) {
        const line = example
          .replace(/^crier /, '')
          .replace('https://crier.example.com', server.ready.baseUrl!)
          .replace('crier_...', server.ready.demo!.apiKey)
          .replace('https://hooks.example.com', 'https://inbox.sandbox')
          .replace('0198c1f2-...', ids[name] ?? 'no id');
        const { code, stdout, stderr } = await crier(line);
        expect([code, stderr.includes('crier:')], `${line}\n${stdout}${stderr}`).toEqual([0, false]);
        expect(stdout, line).not.toBe('');
      }
    }
    await crier(`login --url ${server.ready.baseUrl} --key ${server.ready.demo!.apiKey}`);
  });

  async function failedVariant(): Promise<string> {
    const { workspaceId, channels } = server.ready.demo!;
    const channelId = channels['x']!;
    await server.sandbox().fault({ network: 'x', fault: 'account_restricted', reason: 'locked' });
    const { id } = await server.api().createPost({ text: 'fails', channelIds: [channelId] });
    const variant = async () => (await server.api().getPost(id)).variants[0]!;
    await until(async () => (await variant()).status === 'failed', { what: 'a failed Variant', withinMs: 90_000 });
    const again = { workspaceId, network: 'x', name: 'Demo x', channelId };
    await server.admin().call('channels.connectSandbox', again);
    return (await variant()).id;
  }

  test('the key is kept for its user alone, and a file that others can read is refused', async () => {
    expect(statSync(credentials).mode & 0o777).toBe(0o600);
    chmodSync(credentials, 0o644);
    const { code, stderr } = await crier('channels');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Type chmod 600 '${credentials}'`)]);
    chmodSync(credentials, 0o600);
    expect((await crier('channels')).code).toBe(0);
  });

  test('a key that is wrong is not kept; profiles are told apart; the environment wins', async () => {
    const before = readFileSync(credentials, 'utf8');
    const wrong = await crier(`login --url ${server.ready.baseUrl} --key crier_wrong`);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('not known')]);
    expect(readFileSync(credentials, 'utf8')).toBe(before);
    await crier(`login --url ${server.ready.baseUrl} --profile other < key.txt`);
    expect((await crier('channels --profile other')).code).toBe(0);
    expect(await crier('channels --profile third')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('other'),
    });
    const env = { CRIER_URL: server.ready.baseUrl!, CRIER_KEY: 'crier_wrong' };
    expect((await crier('channels', env)).code).toBe(1);
    expect(
      (await crier('channels', { CRIER_URL: 'http://127.0.0.1:1', CRIER_KEY: 'x', XDG_CONFIG_HOME: '/nowhere' })).code,
    ).toBe(1);
  }, 300_000);

  test('wrong usage ends with 2 and says what to write, of Channels, too', async () => {
    for (const [line, said] of [
      ['pots', 'Did you mean crier post?'],
      ['post "Hi" --channel thrads', 'Did you mean threads?'],
    ] as const) {
      const { code, stdout, stderr } = await crier(line);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(said);
    }
  });

  test('a reader that has gone, such as head, neither ends a command nor makes it fail', async () => {
    for (const verb of ['--help', 'channels'])
      expect({ verb, ...(await crier(`${verb} | true; exit \${PIPESTATUS[0]}`)) }).toMatchObject({
        ...{ verb, code: 0, stdout: '', stderr: '' },
      });
  });

  test('a refusal ends with 1, with the words of every blocker on stderr, and as JSON for scripts', async () => {
    const long = `post "${'word '.repeat(120)}" --channel x --at +2h`;
    const { code, stdout, stderr } = await crier(long);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^crier: .+\n {7}- .*280/m);
    const inJson = await crier(`${long} --json`);
    expect(JSON.parse(inJson.stderr)).toMatchObject({
      error: { code: 'post_refused', blockers: [{ code: 'problem' }] },
    });
  });

  test('a time without a zone is of this machine, and the instant that was understood is said', async () => {
    const { stderr } = await crier('post "zones" --channel x --at "2027-07-01 09:00"');
    expect(stderr).toBe('Scheduled for Thu 2027-07-01 09:00 in Europe/Berlin, which is 2027-07-01T07:00:00.000Z.\n');
  });

  test('what others wrote reaches no terminal as an order, and nothing is coloured where no person reads', async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const text = 'evil \u001B[2J\u001B]0;title\u0007 text';
    await server.api().createPost({ text, channelIds: [server.ready.demo!.channels['x']], scheduledAt });
    const { stdout } = await crier('posts');
    expect(stdout).toContain('evil');
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
  });

  test('an import is judged row by row, and refused as a whole when one is wrong', async () => {
    const name = csv('bad.csv', [
      'text,channels,when',
      'judged,x,2027-05-01 09:00',
      `judged ${'long '.repeat(100)},x,2027-05-01 09:00`,
      'judged,akme,never',
    ]);
    const { code, stdout, stderr } = await crier(`import ${name} --yes`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^3 .*280/m);
    expect(stderr).toMatch(/^4 {2,}channels +There is no Channel "akme"/m);
    expect(stdout).toContain('Nothing was created.');
    expect(await countOf('judged')).toBe(0);
    expect((await crier(`import ${name} --yes --skip-refused`)).stdout).toContain('Created 1 Post.');
  });

  test('an import sent again creates nothing, with a time or without, in any order of rows, also after an edit elsewhere', async () => {
    const rows = Array.from(
      { length: 130 },
      (_, i) => `twice ${i},"x, threads",${i % 10 === 0 ? '' : `2027-06-0${1 + (i % 9)} 09:00`},`,
    );
    const first = await crier(`import ${csv('twice.csv', ['text,channels,when,media', ...rows])} --yes`);
    expect(first.stdout, first.stderr).toContain('Created 130 Posts.');
    const changed = [...rows.toReversed().slice(1), 'twice new,x,2027-06-01 09:00,photo.jpg'];
    const name = csv('twice-again.csv', ['text,channels,when,media', ...changed]);
    expect((await crier(`import ${name} --yes`)).stdout).toContain('Created 1 Post.');
    const third = (await json(`import ${name} --yes`)) as { rows: { state: string }[] };
    expect(new Set(third.rows.map(({ state }) => state))).toEqual(new Set(['there']));
    expect(await countOf('twice')).toBe(131);
  }, 300_000);

  test('a row whose Post was cancelled since, however long ago it was made, is created by an import with a name only', async () => {
    const scheduledAt = '2027-06-20T07:00:00.000Z';
    const channelIds = [server.ready.demo!.channels['x']!];
    // Made without the key of the row, as if that were forgotten by now.
    const { id } = await server.api().createPost({ text: 'gone since', channelIds, scheduledAt });
    await server.api().cancelPost(id);
    const name = csv('gone.csv', ['text,channels,when', 'gone since,x,2027-06-20 09:00']);
    const message = expect.stringContaining('moved, edited or cancelled since');
    expect(await json(`import ${name} --yes`)).toMatchObject({ rows: [{ state: 'refused', problems: [{ message }] }] });
    expect((await crier(`import ${name} --yes --batch again`)).stdout).toContain('Created 1 Post.');
    expect(await json(`import ${name} --yes`)).toMatchObject({ rows: [{ state: 'there' }] });
    expect(await countOf('gone since')).toBe(2);
  });

  /** The name of a file whose import was killed before its end, and the word that begins each of its Posts. */
  async function killedImport(): Promise<{ readonly name: string; readonly word: string }> {
    // On a busy machine an import may be over before its first Posts are seen.
    for (const word of ['killed', 'also killed', 'killed again']) {
      const rows = Array.from({ length: 600 }, (_, i) => `${word} ${i},x,2027-0${1 + (i % 8)}-11 1${i % 10}:00`);
      const name = csv(`${word.replace(' ', '-')}.csv`, ['text,channels,when', ...rows]);
      const killed = begin(`import ${name} --yes`);
      await until(async () => (await countOf(word)) > 0, { what: 'Posts of the import', everyMs: 20 });
      killed.child.kill('SIGKILL');
      await killed.ended;
      if ((await countOf(word)) < 600) return { name, word };
    }
    throw new Error('three imports were over before they were killed');
  }

  test('kill -9 of an import, and Ctrl-C, and the file sent again: every Post is there once', async () => {
    const { name, word } = await killedImport();
    const after = begin(`import ${name} --yes`);
    await until(() => after.said().includes('Creating'), { what: 'the second import', everyMs: 5, withinMs: 60_000 });
    after.child.kill('SIGINT');
    const interrupted = await after.ended;
    expect([interrupted.code, interrupted.stderr]).toEqual([130, expect.stringContaining('Send the same file again')]);
    expect((await crier(`import ${name} --yes`)).code).toBe(0);
    expect(await countOf(word)).toBe(600);
    expect(new Set((await server.api().listPosts({ limit: '500' })).map(({ text }) => text)).size).toBeGreaterThan(600);
  }, 300_000);

  test('Ctrl-C during an upload says so and keeps nothing', async () => {
    const before = ((await json('usage')) as { used: { storageBytes: number } }).used.storageBytes;
    const photo = readFileSync(join(folder, 'photo.jpg'));
    writeFileSync(join(folder, 'large.jpg'), Buffer.concat([photo, Buffer.alloc(64 * 1024 ** 2)]));
    const upload = begin('media upload photo.jpg large.jpg');
    const used = async () => ((await server.api().usage()) as { used: { storageBytes: number } }).used.storageBytes;
    await until(async () => (await used()) > before + photo.length, { what: 'the second upload', everyMs: 5 });
    upload.child.kill('SIGINT');
    const { code, stderr } = await upload.ended;
    expect([code, stderr]).toEqual([130, expect.stringContaining('nothing of the upload is kept')]);
    expect(await used()).toBe(before);
  });

  test('the shell completes verbs, flags and the names of Channels', async () => {
    const complete = async (...words: string[]): Promise<string> => {
      const script = `source <(crier completion bash); COMP_WORDS=(crier ${words.join(' ')}); COMP_CWORD=${words.length}; _crier; printf '%s\\n' "\${COMPREPLY[@]}"`;
      writeFileSync(join(folder, 'bin/complete'), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
      const { PATH = '' } = process.env;
      const env = { PATH: `${join(folder, 'bin')}:${PATH}`, XDG_CONFIG_HOME: join(folder, 'config') };
      const child = spawn('bash', [join(folder, 'bin/complete')], {
        cwd: folder,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
      await new Promise((done) => child.once('close', done));
      return said;
    };
    expect(await complete('po')).toBe('post\nposts\n');
    expect(await complete('webhooks', 'ro')).toBe('rotate\n');
    expect(await complete('posts', '--status', 'f')).toBe('failed\n');
    expect(await complete('post', '--channel', 'De')).toContain('Demo\\ threads\n');
    expect(await complete('import', 'examples/im')).toBe('examples/import.csv\n');
  });
});
