import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { nameOf, shippedPackages, type LockFile } from './shipped-packages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LOCK = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as LockFile;

/** Licences under which a package may be a part of Crier, which is Apache-2.0, as their texts come along with it. */
const ALLOWED = new Set(['Apache-2.0', 'MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0']);

/** What names no licence in its package.json, with the file that has it. */
const IN_A_FILE: Readonly<Record<string, readonly [file: string, begins: string]>> = {
  '@kafkajs/confluent-schema-registry': ['LICENSE', 'MIT License'],
};

/** libvips and what sharp has of it: libraries of their own files, which anybody may replace, as the LGPL asks. */
const LGPL_LIBRARY = /^@img\/sharp-/;

function refusalOf(folder: string, name: string, license: string | undefined): string | null {
  if (license === undefined) {
    const [file, begins] = IN_A_FILE[name] ?? ['LICENSE', 'a text that this test names'];
    const text = name in IN_A_FILE ? readFileSync(join(ROOT, folder, file), 'utf8') : '';
    return text.startsWith(begins) ? null : `${name} names no licence`;
  }
  const refused = license
    .split(/ AND /)
    .filter((each) => !ALLOWED.has(each) && !(each === 'LGPL-3.0-or-later' && LGPL_LIBRARY.test(name)));
  return refused.length === 0 ? null : `${name} is under ${license}`;
}

test('whatever ships is under a licence that allows it', () => {
  const shipped = shippedPackages(LOCK);
  expect(shipped.length).toBeGreaterThan(100);
  expect(shipped.flatMap(([folder, each]) => refusalOf(folder, nameOf(folder, each), each.license) ?? [])).toEqual([]);
});

test.each([
  ['GPL-3.0-only', 'a-package'],
  ['SEE LICENSE IN EULA', 'a-package'],
  ['MIT AND AGPL-3.0-only', 'a-package'],
  ['LGPL-3.0-or-later', 'a-package'],
  [undefined, 'a-package'],
])('a package under %s is refused', (license, name) => {
  expect(refusalOf('node_modules/a-package', name, license)).toContain(name);
});

test('whatever ships is fetched with the digest that the lock file has', () => {
  expect(shippedPackages(LOCK).filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
});
