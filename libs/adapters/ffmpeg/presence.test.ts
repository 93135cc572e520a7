import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createVideoCheck } from './presence.ts';
import type { FfmpegOptions } from './tools.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'crier-presence-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test('where both tools are installed, no reason against videos is given', async () => {
  expect(await createVideoCheck()()).toBeNull();
});

test.each<[string, FfmpegOptions]>([
  ['ffmpeg', { ffmpeg: '/nowhere/ffmpeg' }],
  ['ffprobe', { ffprobe: '/nowhere/ffprobe' }],
])(
  'without %s the reason names what is missing and how to install it, and not where it was looked for',
  async (name, options) => {
    const said = await createVideoCheck(options)();
    expect(said).toMatch(new RegExp(` ${name} is not installed.*apt-get install ffmpeg`));
    expect(said).not.toContain('/nowhere');
  },
);

test('a tool that is installed meanwhile is found', async () => {
  const ffmpeg = join(folder(), 'ffmpeg');
  const check = createVideoCheck({ ffmpeg });
  expect(await check()).toContain('is not installed');
  symlinkSync('/bin/true', ffmpeg);
  expect(await check()).toBeNull();
});

test('requests that ask at once share one look, and the next one after it looks again where a tool is missing', async () => {
  const check = createVideoCheck({ ffmpeg: '/nowhere/ffmpeg' });
  const [first, second] = [check(), check()];
  expect(second).toBe(first);
  await first;
  const third = check();
  expect(third).not.toBe(first);
  expect(await third).toContain('is not installed');
});
