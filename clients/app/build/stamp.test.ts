import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isUpToDate, writeStamp } from './stamp.ts';

let root: string;
let built: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'crier-app-stamp-'));
  built = join(root, '.cache/app');
  for (const folder of ['clients/app', 'libs/domain', 'node_modules/react', '.cache/app'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const path of ['clients/app/main.tsx', 'clients/app/app.css', 'libs/domain/network.ts', 'package-lock.json'])
    writeFileSync(join(root, path), path);
  writeFileSync(join(root, 'node_modules/react/index.js'), 'react');
});
afterEach(() => rmSync(root, { recursive: true }));

const modules = (): string[] =>
  ['clients/app/main.tsx', 'libs/domain/network.ts', 'node_modules/react/index.js'].map((path) => join(root, path));

test('without a build, the app has to be built', () => {
  expect(isUpToDate(root, built)).toBe(false);
});

test.each(['clients/app/main.tsx', 'clients/app/app.css', 'libs/domain/network.ts', 'package-lock.json'])(
  'when %s changes, the app is built again, and only then',
  (path) => {
    writeStamp(root, built, modules());
    writeFileSync(join(root, path), path);
    expect(isUpToDate(root, built)).toBe(true);
    writeFileSync(join(root, path), 'changed');
    expect(isUpToDate(root, built)).toBe(false);
  },
);

test('a deleted source needs a new build, and a changed file that the app does not use needs none', () => {
  writeStamp(root, built, modules());
  writeFileSync(join(root, 'libs/domain/plan.ts'), 'of the server only');
  expect(isUpToDate(root, built)).toBe(true);
  rmSync(join(root, 'libs/domain/network.ts'));
  expect(isUpToDate(root, built)).toBe(false);
});
