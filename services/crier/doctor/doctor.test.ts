import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { SettingName } from '#config/settings.ts';
import { doctor } from './doctor.ts';

afterEach(() => vi.restoreAllMocks());

/** The exit code, and all that was printed. */
async function run(
  settings: Partial<Record<SettingName, string>>,
  json = true,
): Promise<readonly [code: number, printed: string]> {
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const given = { dataDir: tmpdir(), port: '0', adminPort: '0', sandboxPort: '0', ...settings };
  const code = await doctor({ settings: given, words: [], json, dryRun: false, help: false });
  return [code, printed.join('')];
}

const LIVE = { networks: 'live', xClientId: 'planted-id', xClientSecret: 'planted-secret' };

test('a machine that can run the sandbox passes every check', async () => {
  const [code, printed] = await run({});
  expect([code, JSON.parse(printed)]).toEqual([
    0,
    expect.arrayContaining([{ check: 'networks', ok: true, detail: expect.stringContaining('sandbox') }]),
  ]);
});

test.each([
  [0, { publicUrl: 'https://crier.example.com' }],
  [1, { publicUrl: 'http://127.0.0.1:8080' }],
  [1, { publicUrl: 'https://crier.example.com', networkBudgets: 'x' }],
  [1, { publicUrl: 'https://crier.example.com', networkAddresses: 'x.api=http://x.com' }],
  [1, { publicUrl: 'https://crier.example.com', xClientSecret: '' }],
])('live: exit code %i for %o, and no credential is printed', async (expected, more) => {
  for (const json of [true, false]) {
    const [code, printed] = await run({ ...LIVE, ...more }, json);
    expect(code, printed).toBe(expected);
    expect(printed).not.toContain('planted');
  }
});

test.each([{ ffmpeg: '/nowhere/ffmpeg' }, { ffprobe: '/nowhere/ffprobe' }])(
  'with %o it finds that videos are refused, and says what to type',
  async (settings) => {
    const [code, printed] = await run(settings);
    const finding = {
      check: 'videos',
      ok: false,
      detail: expect.stringMatching(
        / ff\w+ is not installed.*apt-get install ffmpeg.*videos are refused.*\/nowhere\/ff/,
      ),
    };
    expect([code, JSON.parse(printed)]).toEqual([1, expect.arrayContaining([finding])]);
  },
);

test('the folder of media files is shown', async () => {
  const [, printed] = await run({});
  expect(JSON.parse(printed)).toContainEqual({
    check: 'media files',
    ok: true,
    detail: expect.stringContaining(join(tmpdir(), 'blobs')),
  });
});
