import { parse } from 'yaml';
import type { ValueSchema } from './schema/json-schema.ts';
import { VALUES_SCHEMA } from './schema/values-schema.ts';

const HEAD = `# The chart crier

Installs Crier on Kubernetes: as one process on a disk (\`mode: single\`, the default), or as a Deployment for each role on Kafka and
Cassandra that are there already (\`mode: cluster\`). It brings no database, generates no secret and asks the cluster nothing while it
renders, so \`helm template\`, Argo CD and Flux render what \`helm install\` does.

    helm install crier helm/crier
    helm install crier helm/crier --values helm/examples/production/values.yaml

The first line installs one process with the sandbox Networks, for a look; its notes say how to open it.

## Examples

[helm/examples](../examples/README.md) has whole values files, and what stands beside them: users and topics for Strimzi, a cluster for
K8ssandra, images for a registry without the internet, an application for Argo CD.

## What it does without being asked

- Every pod runs as user 65532 without capabilities, on a read-only root, without a token of Kubernetes, and without the variables that
  Kubernetes makes for Services (\`enableServiceLinks: false\`).
- A pod is killed no sooner than its drain takes: \`terminationGracePeriodSeconds\` is \`drainDelaySeconds + drainSeconds + 5\`, and a
  smaller one is refused.
- Port 8081 (admin, health, metrics) is open to pods of this release and to Prometheus (\`networkPolicy\`). Its Service is inside the
  cluster only, and \`ingress\` and \`gateway\` lead to the API alone.
- \`crier migrate\` runs before each install and upgrade. With \`migrate.hook: false\` it is an ordinary Job with a name of its own for
  each content, and pods of the new release wait until it has ended.
- Values that this chart does not have are refused, and those that other charts have are answered with what to write instead.

## Credentials

Each comes from a Secret that you make, or that a tool of yours makes; the chart only names it and its keys. For mode cluster:

    kubectl create secret generic crier \\
      --from-literal=secret="$(openssl rand -base64 48)" --from-literal=admin-token="$(openssl rand -base64 24)"

## Values

This table is written by \`npm run docs\` from \`values.yaml\` and \`values.schema.json\`.

| Value | Default | Meaning |
|---|---|---|
`;

/** helm/crier/README.md; `values` is values.yaml as text. */
export function chartReadme(values: string): string {
  return HEAD + rowsOf('', VALUES_SCHEMA, parse(values) as unknown).join('');
}

/** The Deployments share their values, which are written once, under `defaults`. */
const SHARED = /^(roles\.\w+|publishers)$/;
const SETTINGS = /(^|\.)settings$/;

function rowsOf(path: string, schema: ValueSchema, value: unknown): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const here = path === '' ? name : `${path}.${name}`;
    if (inner.deprecated === true || here === 'global') return [];
    const given = valueAt(value, name);
    const isOpen = inner.properties !== undefined && !SHARED.test(here) && !SETTINGS.test(here);
    if (!isOpen) return [`| ${here} | ${written(given)} | ${wordsOf(inner, here)} |\n`];
    return rowsOf(here, inner, given);
  });
}

function wordsOf({ description = '', enum: choices }: ValueSchema, path: string): string {
  const more = SHARED.test(path) ? '. Each takes what `defaults` takes' : '';
  return `${description}${more}${choices === undefined ? '' : ` (${choices.filter((one) => one !== '').join(', ')})`}`;
}

function valueAt(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const MOST_COLUMNS = 90;

function written(value: unknown): string {
  if (value === undefined || value === '' || isEmpty(value)) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MOST_COLUMNS ? 'see values.yaml' : `\`${text}\``;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
