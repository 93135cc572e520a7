import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { expect, test } from 'vitest';
import { SPARE_CONVERSIONS, SPARE_VIDEOS } from '#concurrency/conversions.ts';
import { settingsPage } from '#config/settings-page.ts';
import { MAX_FILE_BYTES } from '#domain/media/file-facts.ts';
import { conversionBytes, conversionsAtOnceOf } from '#services/crier/compose/conversions-at-once.ts';
import { PROBES_AT_ONCE } from '#services/media/dependencies.ts';
import { JUDGED_AT_ONCE } from '#use-cases/request-turns.ts';
import { VERSION } from '#config/version.ts';
import { kafkaTopics } from './kafka-topics.ts';
import { chartReadme } from './readme.ts';
import type { ValueSchema } from './schema/json-schema.ts';
import { REMOVED_VALUES } from './schema/removed-values.ts';
import { VALUES_SCHEMA } from './schema/values-schema.ts';

const HELM = import.meta.dirname;
const read = (path: string): string => readFileSync(join(HELM, path), 'utf8');
const VALUES = read('crier/values.yaml');
const EXAMPLES = readdirSync(join(HELM, 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
const TEMPLATES = readdirSync(join(HELM, 'crier/templates'), { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path): [name: string, text: string] => [path.slice(HELM.length + 1), readFileSync(path, 'utf8')]);

const validate = new Ajv({ strict: false, allErrors: true }).compile(VALUES_SCHEMA);
const errorsOf = (values: unknown): readonly string[] =>
  validate(values)
    ? []
    : validate.errors!.map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      );

test('the schema and the page of the chart are what the code writes', () => {
  expect(read('crier/values.schema.json')).toBe(`${JSON.stringify(VALUES_SCHEMA, null, 1)}\n`);
  expect(read('crier/README.md')).toBe(chartReadme(VALUES));
  expect(read('examples/strimzi/kafka-topics.yaml')).toBe(kafkaTopics());
  expect(parse(read('crier/files/removed.yaml'))).toEqual(REMOVED_VALUES);
});

test('chart and release have one version', () => {
  expect(parse(read('crier/Chart.yaml'))).toMatchObject({ version: VERSION, appVersion: VERSION });
});

test('values.yaml and every example satisfy the schema', () => {
  expect(errorsOf(parse(VALUES))).toEqual([]);
  for (const { name } of EXAMPLES)
    expect([name, errorsOf(parse(read(`examples/${name}/values.yaml`)))]).toEqual([name, []]);
});

test('by default a pod has the disk for files under way, and the memory that its conversions may take', () => {
  const { roles, single } = parse(VALUES);
  const gib = (quantity: string): number => Number(/^(\d+)Gi$/.exec(quantity)?.[1]) * 1024 ** 3;
  expect(gib(roles.ingress.scratchSize)).toBeGreaterThan(JUDGED_AT_ONCE * MAX_FILE_BYTES);
  const conversions = 2 + SPARE_CONVERSIONS + SPARE_VIDEOS;
  expect(gib(roles.media.scratchSize)).toBeGreaterThan((PROBES_AT_ONCE + 2 * conversions) * MAX_FILE_BYTES);
  for (const { resources } of [roles.media, single]) {
    const limitBytes = gib(resources.limits.memory);
    expect(conversionsAtOnceOf({ conversionsAtOnce: null }, { cores: 8, limitBytes })).toBe(2);
    expect(conversionBytes(2)).toBeLessThan(limitBytes);
  }
});

test('every object of the schema is closed, and every value has words', () => {
  const found: string[] = [];
  const visit = (path: string, schema: ValueSchema): void => {
    if (path !== '' && path !== '.global' && !path.endsWith('[]') && schema.description === undefined)
      found.push(`${path} has no description`);
    if (schema.properties !== undefined && schema.additionalProperties !== false) found.push(`${path} is open`);
    for (const [name, inner] of Object.entries(schema.properties ?? {})) visit(`${path}.${name}`, inner);
    if (schema.items?.properties !== undefined) visit(`${path}[]`, schema.items);
  };
  visit('', VALUES_SCHEMA);
  visit('.settings', VALUES_SCHEMA.definitions['settings']!);
  expect(found).toEqual([]);
});

test('a misspelt value is refused wherever it stands', () => {
  const paths: string[][] = [];
  const visit = (path: string[], value: unknown): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    paths.push(path);
    for (const [name, inner] of Object.entries(value)) visit([...path, name], inner);
  };
  visit([], parse(VALUES));
  // Pieces of Kubernetes' own, and names that users choose.
  const open = /(ecurityContext|resources|affinity|nodeSelector|abels|nnotations)(\.|$)/;
  const closed = paths.filter((path) => !open.test(path.join('.')));
  expect(closed.length).toBeGreaterThan(40);
  const accepted = closed.filter((path) => {
    const values = parse(VALUES) as Record<string, unknown>;
    const target = path.reduce((at, step) => at[step] as Record<string, unknown>, values);
    target['replicaz'] = 1;
    return errorsOf(values).length === 0;
  });
  expect(accepted.map((path) => path.join('.'))).toEqual([]);
});

test('a value of another chart gets through the schema, so that the template can answer it', () => {
  for (const name of Object.keys(REMOVED_VALUES)) expect(errorsOf({ [name]: 1 })).toEqual([]);
});

/** Variables in the templates whose names are made: the engines' certificates and the Networks' apps. */
const MADE = ['CRIER_%s', 'CRIER_%s_CLIENT_ID', 'CRIER_%s_CLIENT_SECRET'];

test('every CRIER_ name of the chart is a setting', () => {
  const known = new Set([...settingsPage().matchAll(/^\| (CRIER_\w+) \|/gm)].map((match) => match[1]));
  const texts = [
    ...TEMPLATES,
    ...EXAMPLES.map(({ name }): [string, string] => [name, read(`examples/${name}/values.yaml`)]),
  ];
  const strangers = texts.flatMap(([name, text]) =>
    [...text.matchAll(/\bCRIER_[A-Z0-9_%s]+/g)]
      .map((match) => match[0])
      .filter((variable) => !known.has(variable) && !MADE.includes(variable))
      .map((variable) => `${name}: ${variable}`),
  );
  expect(strangers).toEqual([]);
});

/** What no template may hold, and why a rendering without a cluster or an audit would stumble over it. */
const BANNED: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['asks the cluster', /\blookup\b/],
  [
    'is another at each rendering',
    /\b(rand(AlphaNum|Alpha|Numeric|Ascii|Bytes|Int)|genPrivateKey|genCA|uuidv4|now|htpasswd)\b/,
  ],
  ['runs what is newest', /:latest\b/],
  ['holds a password', /(password|secret|token):\s*["']?[A-Za-z0-9+/]{8,}/i],
];
const bannedIn = ([name, text]: readonly [string, string]): readonly string[] => {
  const code = text.replace(/\{\{-?\s*\/\*.*?\*\/\s*-?\}\}/gs, '').replace(/^\s*#.*$/gm, '');
  return BANNED.filter(([, pattern]) => pattern.test(code)).map(([what]) => `${name} ${what}`);
};

test('no template asks the cluster, uses chance or time, runs `latest` or holds a password', () => {
  expect([...TEMPLATES, ['values.yaml', VALUES] as const].flatMap(bannedIn)).toEqual([]);
});

test.each([
  ['{{ (lookup "v1" "Secret" .Release.Namespace "crier").data.secret }}', 'asks the cluster'],
  ['value: {{ randAlphaNum 32 | quote }}', 'is another at each rendering'],
  ['image: ghcr.io/crier:latest', 'runs what is newest'],
  ['password: changeme123', 'holds a password'],
])('%s is found where it is planted', (text, what) => {
  expect(bannedIn(['planted', text])).toEqual([`planted ${what}`]);
});

test('every pod of the templates is without service links and without a token of Kubernetes', () => {
  for (const [name, text] of TEMPLATES) {
    const pods = [...text.matchAll(/^\s*(containers|initContainers):$/gm)].filter((match) => match[1] === 'containers');
    expect([name, [...text.matchAll(/enableServiceLinks: false/g)].length]).toEqual([name, pods.length]);
    expect([name, [...text.matchAll(/automountServiceAccountToken: false/g)].length >= pods.length]).toEqual([
      name,
      true,
    ]);
  }
});

test('the manifests beside the examples are YAML objects', () => {
  const manifests = EXAMPLES.flatMap(({ name }) =>
    readdirSync(join(HELM, 'examples', name))
      .filter((file) => file.endsWith('.yaml') && file !== 'values.yaml')
      .map((file) => `examples/${name}/${file}`),
  );
  expect(manifests.length).toBeGreaterThanOrEqual(3);
  for (const path of manifests) {
    for (const document of parseAllDocuments(read(path))) {
      expect(document.errors).toEqual([]);
      expect(document.toJSON()).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) });
    }
  }
});
