import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { toolAt } from '#testing/tool-at.ts';

const ROOT = resolve(import.meta.dirname, '..');

export interface Run {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

export function run(command: string, args: readonly string[], input = ''): Promise<Run> {
  const child = spawn(command, args, { cwd: ROOT, stdio: 'pipe' });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.stdin.end(input);
  return new Promise((done, reject) => {
    child.once('error', reject);
    child.once('close', (code) => done({ code: code ?? 1, output, errors }));
  });
}

/** `values` are whole files from the root, and JSON over them. */
export function template(files: readonly string[], over: object = {}): Promise<Run> {
  const args = ['template', 'crier', 'helm/crier', ...files.flatMap((file) => ['--values', file]), '--values', '-'];
  return run(toolAt('helm')!, args, JSON.stringify(over));
}

/** What Helm prints for people once it has installed the chart with these values. */
export async function notes(over: object): Promise<string> {
  const args = ['install', 'crier', 'helm/crier', '--dry-run=client', '--values', '-'];
  const { code, output, errors } = await run(toolAt('helm')!, args, JSON.stringify(over));
  if (code !== 0) throw new Error(errors);
  return output.slice(output.indexOf('\nNOTES:\n'));
}

export interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  // Anything that Kubernetes has: tests look at what they know.
  readonly spec: any;
  readonly data?: Readonly<Record<string, string>>;
}

/** Throws for what is no YAML. */
export function objectsOf(output: string): readonly KubernetesObject[] {
  return parseAllDocuments(output).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    const value = document.toJSON() as KubernetesObject | null;
    return value === null ? [] : [value];
  });
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly securityContext: object;
}

/** The specs of all pods, by the name of what makes them. */
export function podsOf(objects: readonly KubernetesObject[]): readonly (readonly [name: string, spec: any])[] {
  return objects.flatMap(({ kind, metadata, spec }): (readonly [string, any])[] => {
    if (kind === 'Pod') return [[metadata.name, spec]];
    const template = kind === 'CronJob' ? spec.jobTemplate.spec.template : spec?.template;
    return template?.spec === undefined ? [] : [[metadata.name, template.spec]];
  });
}

export const containersOf = (pod: any): readonly Container[] => [...(pod.initContainers ?? []), ...pod.containers];

export interface Process {
  readonly name: string;
  readonly env: Container['env'];
  readonly grace: number | undefined;
}

/** The containers that run Crier itself, with what they are told. */
export const processesOf = (objects: readonly KubernetesObject[]): readonly Process[] =>
  podsOf(objects).flatMap(([name, pod]) =>
    containersOf(pod)
      .filter(({ args }) => args?.[0] === 'start' || args?.[0] === 'migrate')
      .map(({ env }) => ({ name, env, grace: pod.terminationGracePeriodSeconds as number | undefined })),
  );

/** What a pod's process gets: Kubernetes fills in the pod's address and the keys of Secrets. */
export function environmentOf(env: Container['env']): Record<string, string> {
  return Object.fromEntries(
    env
      // Files are there in a pod only.
      .filter(({ name }) => !/^CRIER_(KAFKA|CASSANDRA)_(CA|CERT|KEY)$/.test(name))
      .map(({ name, value }) => [
        name,
        value?.replace('[$(POD_IP)]', '[fd00::1]').replace('$(POD_IP)', '10.1.2.3') ?? fromSecret(name),
      ]),
  );
}

function fromSecret(name: string): string {
  if (name === 'CRIER_SMTP_URL') return 'smtps://user:pass@mail.example.com:465';
  if (name === 'CRIER_ADMIN_TOKENS') return 'ada:operate:0123456789abcdefghij';
  return `0123456789-abcdefghij-0123456789-${name.toLowerCase()}`;
}
