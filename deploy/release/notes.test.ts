import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { VERSION } from '#config/version.ts';
import { RELEASE } from '#tables/release.ts';
import { SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { changelogFaults, upgradingFaults } from './notes.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const json = (path: string): { readonly version: string } => JSON.parse(read(path)) as { version: string };
const [CHANGELOG, UPGRADING] = [read('CHANGELOG.md'), read('UPGRADING.md')];
const DATA = { schemaVersion: SCHEMA_VERSION, format: RELEASE.format };

test('everything that bears a version bears that of the release', () => {
  const chart = parse(read('helm/crier/Chart.yaml')) as { version: string; appVersion: string };
  expect({
    package: json('package.json').version,
    lock: json('package-lock.json').version,
    client: json('clients/typescript/package.json').version,
    receivers: json('examples/receivers/package.json').version,
    chart: chart.version,
    app: chart.appVersion,
    gitops: /targetRevision: v(.+)/.exec(read('helm/examples/gitops/application.yaml'))?.[1],
  }).toEqual(
    Object.fromEntries(
      ['package', 'lock', 'client', 'receivers', 'chart', 'app', 'gitops'].map((name) => [name, VERSION]),
    ),
  );
});

test('the changelog has this release, in the form of Keep a Changelog', () => {
  expect(changelogFaults(CHANGELOG, VERSION)).toEqual([]);
});

test('the notes on upgrading have each release of the changelog, and the data that this code writes', () => {
  expect(upgradingFaults(UPGRADING, CHANGELOG, DATA)).toEqual([]);
});

test.each([
  ['of another version than the code', CHANGELOG, '99.0.0', /newest release is .+, the code is 99\.0\.0/],
  ['without what is not released', CHANGELOG.replace('## [Unreleased]', '## [9.9.9] - 2099-01-01'), VERSION, /first/],
  ['with a release without a date', CHANGELOG.replace(/\] - \d{4}-\d\d-\d\d/, ']'), VERSION, /has no date/],
  ['with a heading of its own', CHANGELOG.replace('### Added', '### News'), VERSION, /has "News"/],
  ['without an address', CHANGELOG.replace(/^\[Unreleased\]: .+$/m, ''), VERSION, /Unreleased has no address/],
])('a changelog %s is refused', (_, page, version, fault) => {
  expect(changelogFaults(page, version).join('\n')).toMatch(fault);
});

test.each([
  ['without the newest release', UPGRADING.replace('## 0.1.0', '## 0.0.9'), DATA, /CHANGELOG\.md has/],
  ['that leaves a part out', UPGRADING.replace('- **Back**: at', '- at'), DATA, /Unreleased does not say "Back"/],
  ['of an older schema', UPGRADING, { ...DATA, schemaVersion: SCHEMA_VERSION + 1 }, /newest entry does not say/],
])('notes on upgrading %s are refused', (_, page, data, fault) => {
  expect(upgradingFaults(page, CHANGELOG, data).join('\n')).toMatch(fault);
});
