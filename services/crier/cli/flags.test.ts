import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ConfigError } from '#config/config.ts';
import type { Setting } from '#config/setting.ts';
import { SETTINGS } from '#config/settings.ts';
import { parseFlags } from './flags.ts';

const SECRETS = Object.values(SETTINGS)
  .filter((setting: Setting) => setting.secret === true)
  .map(({ variable }) => variable);
const flagOf = (variable: string) => `--${variable.slice('CRIER_'.length).toLowerCase().replaceAll('_', '-')}`;

test('secrets, tokens, passwords and keys are marked as secrets', () => {
  expect(SECRETS).toEqual(
    expect.arrayContaining([
      'CRIER_SECRET',
      'CRIER_PREVIOUS_SECRETS',
      'CRIER_ADMIN_TOKEN',
      'CRIER_KAFKA_PASSWORD',
      'CRIER_X_CLIENT_SECRET',
    ]),
  );
  expect(
    Object.values(SETTINGS)
      .map(({ variable }) => variable)
      .filter((variable) => /SECRET|TOKEN|PASSWORD|SMTP_URL/.test(variable)),
  ).toEqual(SECRETS);
});

test.each(SECRETS)(
  '%s is refused as a flag, which the list of processes shows, with the variable to use instead',
  (variable) => {
    for (const args of [
      [`${flagOf(variable)}=planted`],
      [flagOf(variable), 'planted'],
      ['start', `${flagOf(variable)}=planted`],
    ]) {
      expect(() => parseFlags(args)).toThrow(ConfigError);
      expect(() => parseFlags(args)).toThrow(
        `${flagOf(variable)} would show in the list of processes: set ${variable} in the environment instead`,
      );
    }
  },
);

test('the command line ends with that one line, and --help lists no such flag', async () => {
  const main = join(import.meta.dirname, 'main.ts');
  const refused = await promisify(execFile)(process.execPath, [main, 'start', '--secret=planted'], { env: {} }).catch(
    (error: { code: number; stderr: string }) => error,
  );
  expect(refused).toMatchObject({
    code: 1,
    stderr: 'crier: --secret would show in the list of processes: set CRIER_SECRET in the environment instead\n',
  });
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--help'], { env: {} });
  expect(stdout).toContain('--data-dir ');
  expect(stdout).toMatch(/^ +CRIER_SECRET /m);
  for (const variable of SECRETS) expect(stdout).not.toContain(`${flagOf(variable)} `);
});

test('every other setting is a flag', () => {
  expect(parseFlags(['start', '--admin-host=0.0.0.0', '--data-dir', 'x']).settings).toEqual({
    adminHost: '0.0.0.0',
    dataDir: 'x',
  });
});

test.each([
  [['start', '--prot=8080'], 'there is no flag --prot. Did you mean --port? See crier --help'],
  [['start', '--no-such-thing'], 'there is no flag --no-such-thing. See crier --help'],
  [['-x'], 'there is no flag -x. See crier --help'],
  [['start', '--port'], '--port needs a value: write it as in --port=VALUE'],
  [['start', '--port', '--json'], '--port needs a value: write it as in --port=VALUE'],
  [['doctor', '--json=1'], '--json takes no value: write it alone'],
])('%j is reported in our words, in one line', (args, words) => {
  expect(() => parseFlags(args)).toThrow(new ConfigError(words));
});

test.each([
  [['restore', '--from=x.tar', '--dry-run'], 'crier restore takes no --dry-run. See crier --help'],
  [['restore', '--verify=x.tar'], 'crier restore takes no --verify. See crier --help'],
  [['backup', '--to=x.tar', '--dry-run'], 'crier backup takes no --dry-run. See crier --help'],
  [['start', '--verify'], 'crier start takes no --verify. See crier --help'],
])('%j: a flag of another verb is refused, since the work would be done without it', (args, words) => {
  expect(() => parseFlags(args)).toThrow(new ConfigError(words));
});

test.each([
  ['backup', '--to='],
  ['restore', '--from='],
  ['backup', '--verify='],
  ['support-bundle', '--out', ''],
])('%s %s: a path that is empty is refused, as of a variable that is not set', (...args) => {
  expect(() => parseFlags(args)).toThrow(/^--(to|from|out) needs a value: write it as in --(to|from|out)=VALUE$/);
});

test('every verb takes its own flags, and all of them --json', () => {
  for (const args of [
    ['migrate', '--verify'],
    ['migrate', '--dry-run'],
    ['migrate', '--print-cql'],
    ['doctor', '--in-pod'],
    ['backup', '--to=x', '--with-files'],
    ['backup', '--verify', '--from=x'],
    ['restore', '--from=x', '--data-dir=y'],
    ['support-bundle', '--out=x', '--log=y'],
    ['admin', 'system.status'],
    ['dev', 'advance', '15m'],
  ])
    expect(parseFlags([...args, '--json'])).toMatchObject({ json: true });
});
