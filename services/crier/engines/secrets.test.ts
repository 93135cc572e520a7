import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { loadSecrets, readPrivate, writePrivate } from './secrets.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'private-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);
const modeOf = (name: string): number => statSync(at(name)).mode & 0o777;

/** A file that anybody may read and write. */
function plant(name: string, content = 'planted'): void {
  writeFileSync(at(name), content);
  chmodSync(at(name), 0o666);
}

test('a written file is readable by its owner alone, and reads back', () => {
  writePrivate(at('a.json'), { token: 't' });
  expect([readPrivate(at('a.json')), modeOf('a.json')]).toEqual([{ token: 't' }, 0o600]);
});

test('a file that is no JSON any more is named in a sentence, and none is made in its place', () => {
  plant('secrets.json', '{"secret":"half of');
  const sentence = `${at('secrets.json')} is no JSON any more; put it back as it was, as from a backup`;
  expect(() => readPrivate(at('secrets.json'))).toThrow(sentence);
  expect(() => loadSecrets(folder, createSeededIds(1))).toThrow(sentence);
  expect(readFileSync(at('secrets.json'), 'utf8')).toBe('{"secret":"half of');
});

test('an open file that exists is replaced, not written into: a process that holds it open reads nothing new', () => {
  plant('a.json');
  linkSync(at('a.json'), at('held'));
  writePrivate(at('a.json'), { token: 't' });
  expect([modeOf('a.json'), readFileSync(at('held'), 'utf8')]).toEqual([0o600, 'planted']);
});

test('a file planted at the temporary path is not written into', () => {
  plant('a.json.new');
  linkSync(at('a.json.new'), at('held'));
  writePrivate(at('a.json'), { token: 't' });
  expect([modeOf('a.json'), readFileSync(at('held'), 'utf8')]).toEqual([0o600, 'planted']);
});

test.each(['a.json', 'a.json.new'])('nothing is written through a link at %s', (name) => {
  plant('victim');
  symlinkSync(at('victim'), at(name));
  writePrivate(at('a.json'), { token: 't' });
  expect([readFileSync(at('victim'), 'utf8'), lstatSync(at('a.json')).isFile(), modeOf('a.json')]).toEqual([
    'planted',
    true,
    0o600,
  ]);
  expect(readPrivate(at('a.json'))).toEqual({ token: 't' });
});

test('a missing folder is named by the error', () => {
  expect(() => writePrivate(at('nowhere/a.json'), {})).toThrow(/nowhere\/a\.json/);
});
