import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { VERSION } from '#config/version.ts';
import { toolAt } from '#testing/tool-at.ts';
import { objectsOf, template } from '../helm/helm.fixture.ts';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGES = ['README.md', ...globSync('docs/deploy/*.md', { cwd: ROOT })].sort();

/** Commands of a tool that pages show as code, with the page that each is from. */
function commandsOf(tool: string, pages: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(pages).flatMap(([page, text]) =>
    [...text.matchAll(new RegExp(`(?:^ {4,}|\\| \\x60|, \x60)(${tool} [^\x60\\n]+)`, 'gm'))].map(
      (match) => [page, match[1]!] as const,
    ),
  );
}

const own = Object.fromEntries(PAGES.map((page) => [page, read(page)]));

const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as {
  services: Record<string, { profiles?: readonly string[] }>;
};
const VALUES = parse(read('helm/crier/values.yaml')) as object;

/** What a command of compose names that the file does not have. */
function composeFaults(command: string): readonly string[] {
  const profiles = Object.values(services).flatMap((service) => service.profiles ?? []);
  const [, file = ''] = /--file (\S+)/.exec(command) ?? [];
  const [, profile] = /--profile (\S+)/.exec(command) ?? [];
  const [, service] = /\b(?:logs|exec) (\S+)/.exec(command) ?? [];
  return [
    ...(existsSync(join(ROOT, file)) ? [] : [`${file} is not there`]),
    ...(profile === undefined || profiles.includes(profile) ? [] : [`there is no profile ${profile}`]),
    ...(service === undefined || service in services ? [] : [`there is no service ${service}`]),
  ];
}

/** What a command of helm names that the chart does not have. Files that readers write themselves begin with `my-`. */
function helmFaults(command: string): readonly string[] {
  const isValue = (path: string): boolean =>
    path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], VALUES) !==
    undefined;
  return [
    ...[...command.matchAll(/(?:--values |install crier |upgrade crier )(\S+)/g)]
      .filter(([, path]) => !path!.startsWith('my-') && !existsSync(join(ROOT, path!)))
      .map(([, path]) => `${path} is not there`),
    ...[...command.matchAll(/--set ([\w.]+)=/g)]
      .filter(([, path]) => !isValue(path!))
      .map(([, path]) => `the chart has no value ${path}`),
  ];
}

test('README shows its two commands first, then compose, then Helm', () => {
  const blocks = [...read('README.md').matchAll(/^\n((?: {4}\S.*\n)+)/gm)].map((match) => match[1]!);
  expect(blocks[0]).toBe('    make start\n    make test\n');
  const [compose, helm] = ['docker compose', 'helm install'].map((words) =>
    blocks.findIndex((block) => block.startsWith(`    ${words} `)),
  );
  expect(compose).toBeGreaterThan(0);
  expect(helm).toBe(compose! + 1);
});

test('commands of compose and Helm that pages show name what is there', () => {
  const [compose, helm] = [commandsOf('docker compose', own), commandsOf('helm', own)];
  expect(compose.length).toBeGreaterThan(5);
  expect(helm.length).toBeGreaterThan(7);
  const faults = [
    ...compose.flatMap(([page, command]) => composeFaults(command).map((fault) => `${page}: ${fault}`)),
    ...helm.flatMap(([page, command]) => helmFaults(command).map((fault) => `${page}: ${fault}`)),
  ];
  expect(faults).toEqual([]);
});

test.each([
  ['docker compose --file deploy/stack.yaml up', ['deploy/stack.yaml is not there']],
  ['docker compose --file deploy/compose.yaml --profile all up', ['there is no profile all']],
  ['docker compose --file deploy/compose.yaml logs server', ['there is no service server']],
])('%s is refused', (command, faults) => {
  expect(composeFaults(command)).toEqual(faults);
});

test.each([
  ['helm install crier charts/crier', ['charts/crier is not there']],
  ['helm upgrade crier helm/crier --set single.backup.on=true', ['the chart has no value single.backup.on']],
])('%s is refused', (command, faults) => {
  expect(helmFaults(command)).toEqual(faults);
});

test('the Job that restores is of this release, reads the claim of backups and fills the claim that it makes', () => {
  const [disk, job] = objectsOf(read('helm/examples/small/restore.yaml'));
  const { single } = parse(read('helm/examples/small/values.yaml')) as {
    single: { backup: { existingClaim: string }; persistence: { size: string } };
  };
  const { containers, volumes } = job!.spec.template.spec;
  expect(containers[0].image).toBe(`ghcr.io/crier-project/crier-media:${VERSION}`);
  const claims = volumes.flatMap((volume: any) => volume.persistentVolumeClaim?.claimName ?? []);
  expect(claims).toEqual([disk!.metadata.name, single.backup.existingClaim]);
  expect(disk!.spec.resources.requests.storage).toBe(single.persistence.size);
  expect(own['docs/deploy/README.md']).toContain(`existingClaim=${disk!.metadata.name}`);
});

const KINDS: Readonly<Record<string, string>> = {
  deployment: 'Deployment',
  statefulset: 'StatefulSet',
  cronjob: 'CronJob',
  job: 'Job',
};

test.skipIf(toolAt('helm') === null)('objects that pages name to kubectl are made by the chart', async () => {
  const named = commandsOf('kubectl', own).flatMap(([, command]) =>
    [...command.matchAll(/\b(deployment|statefulset|cronjob|job)\/(crier\S*)/g)].map(
      ([, kind, name]) => `${KINDS[kind!]} ${name}`,
    ),
  );
  const outputs = await Promise.all([
    template(['helm/examples/small/values.yaml']),
    template(['helm/examples/production/values.yaml']),
  ]);
  const made = outputs.flatMap(({ output }) =>
    objectsOf(output).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
  );
  expect(named.length).toBeGreaterThan(4);
  // Made by hand: from the CronJob, and from an example.
  const byHand = ['Job crier-backup-first', 'Job crier-restore'];
  expect(named.filter((one) => !byHand.includes(one) && !made.includes(one))).toEqual([]);
});
