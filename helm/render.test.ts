import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { readConfig } from '#config/config.ts';
import { toolAt } from '#testing/tool-at.ts';
import {
  containersOf,
  environmentOf,
  notes,
  objectsOf,
  podsOf,
  processesOf,
  run,
  template,
  type KubernetesObject,
} from './helm.fixture.ts';
import { breachesOf } from './house-rules.fixture.ts';

const EXAMPLES = readdirSync(join(import.meta.dirname, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const fileOf = (example: string): string => `helm/examples/${example}/values.yaml`;

const rendered = new Map<string, Promise<readonly KubernetesObject[]>>();
/** An example as Kubernetes gets it, or `default` as values.yaml stands. */
function objectsIn(example: string): Promise<readonly KubernetesObject[]> {
  const known = rendered.get(example);
  if (known !== undefined) return known;
  const made = template(example === 'default' ? [] : [fileOf(example)]).then(({ code, output, errors }) => {
    if (code !== 0) throw new Error(`${example}: ${errors}`);
    return objectsOf(output);
  });
  rendered.set(example, made);
  return made;
}

/** Values over a whole example: what the chart answers. */
const refusal = async (example: string, over: object): Promise<string> => {
  const { code, errors } = await template(example === 'default' ? [] : [fileOf(example)], over);
  return code === 0 ? 'rendered' : errors;
};

// `make chart` builds helm, which takes minutes; the suite runs wherever it is there.
describe.skipIf(toolAt('helm') === null)('the rendered chart', () => {
  test('passes `helm lint --strict` with each example', async () => {
    const files = EXAMPLES.map(fileOf);
    for (const file of files) {
      const { code, output } = await run(toolAt('helm')!, ['lint', '--strict', 'helm/crier', '--values', file]);
      expect(code, `${file}: ${output}`).toBe(0);
    }
  });

  test.each(['default', ...EXAMPLES])('has no name twice, and pods as they must be: %s', async (example) => {
    const objects = await objectsIn(example);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
    expect(podsOf(objects).length).toBeGreaterThan(0);
    expect(breachesOf(objects)).toEqual([]);
  });

  test.each(['default', ...EXAMPLES])('tells each process what it starts with: %s', async (example) => {
    const processes = processesOf(await objectsIn(example));
    expect(processes.length).toBeGreaterThan(0);
    for (const { name, env, grace } of processes) {
      const config = readConfig(environmentOf(env));
      expect(name.length).toBeLessThanOrEqual(63);
      if (grace !== undefined) expect(grace).toBeGreaterThanOrEqual(config.drainDelaySeconds + config.drainSeconds + 5);
    }
  });

  test('has a process for every role, and one for each thing that the role publisher does', async () => {
    const pods = podsOf(await objectsIn('trial-cluster')).concat(podsOf(await objectsIn('production')));
    const started = pods.map(([, pod]) => containersOf(pod)[0]!).filter(({ args }) => args?.[0] === 'start');
    const configs = started.map(({ env }) => readConfig(environmentOf(env)));
    const roles = ['admin', 'app', 'ingress', 'media', 'publisher', 'sandbox', 'scheduler', 'webhooks', 'workspace'];
    expect([...new Set(configs.flatMap((config) => config.roles))].sort()).toEqual(roles);
    const published = configs.filter(({ roles }) => roles.includes('publisher')).flatMap((one) => one.publishNetworks);
    const parts = ['facebook', 'figures', 'instagram', 'threads', 'tiktok', 'upkeep', 'x', 'youtube'];
    expect([...new Set(published)].sort()).toEqual(parts);
  });

  test('takes every selector from the labels of a pod, and every claim and Secret from values', async () => {
    for (const example of EXAMPLES) {
      const objects = await objectsIn(example);
      const labels = objects.flatMap(({ spec }) =>
        spec?.template?.metadata?.labels === undefined ? [] : [spec.template.metadata.labels as object],
      );
      for (const { kind, metadata, spec } of objects) {
        const selector =
          kind === 'Service' ? spec.selector : kind === 'PodDisruptionBudget' ? spec.selector.matchLabels : null;
        if (selector === null) continue;
        expect(labels, `${example}: ${kind} ${metadata.name}`).toContainEqual(expect.objectContaining(selector));
      }
    }
  });

  test('keeps the accounts of the sandbox over a release, on a claim', async () => {
    const [, sandbox] = podsOf(await objectsIn('trial-cluster')).find(([name]) => name === 'crier-sandbox')!;
    const claim = { persistentVolumeClaim: { claimName: 'crier-sandbox-data' } };
    expect(sandbox.volumes).toContainEqual({ name: 'data', ...claim });
    const claims = (await objectsIn('trial-cluster')).filter(({ kind }) => kind === 'PersistentVolumeClaim');
    expect(claims.map(({ metadata }) => metadata.name)).toEqual(['crier-sandbox-data']);
  });

  test('has the sandbox fetch files at the Service, wherever the public address leads', async () => {
    const objects = await objectsIn('trial-cluster');
    const { spec } = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'crier')!;
    const told = processesOf(objects).map(({ env, name }) => [name, readConfig(environmentOf(env)).sandboxFilesUrl]);
    const filesUrl = `http://crier:${spec.ports[0].port}`;
    expect(told.filter(([, address]) => address !== null)).toEqual([['crier-sandbox', filesUrl]]);
  });

  test('leaves replicas to what scales them, and never scales the scheduler', async () => {
    const objects = await objectsIn('production');
    const deployments = objects.filter(({ kind }) => kind === 'Deployment');
    const scaled = objects
      .filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
      .map(({ metadata }) => metadata.name);
    expect(scaled).toEqual(['crier-ingress', 'crier-media']);
    for (const { metadata, spec } of deployments)
      expect([metadata.name, spec.replicas === undefined]).toEqual([metadata.name, scaled.includes(metadata.name)]);
    const words = await refusal('production', { roles: { scheduler: { autoscaling: { type: 'hpa' } } } });
    expect(words).toContain('roles.scheduler.autoscaling: the scheduler is not scaled by load');
  });

  test('tells publishers how many attempts at each Network all of them make at once, and no other process', async () => {
    const over = { networks: { facebook: { atOnce: 512 } } };
    const { output, errors } = await template([fileOf('production')], over);
    const processes = processesOf(objectsOf(output));
    expect(processes.length, errors).toBeGreaterThan(10);
    for (const { name, env } of processes)
      expect(env.find((each) => each.name === 'CRIER_NETWORK_AT_ONCE')?.value, name).toBe(
        name.includes('-publisher-') ? 'facebook=512,instagram=256,tiktok=256,youtube=64,x=256,threads=256' : undefined,
      );
  });

  test('finds nodes for migrate, the test and backups, too, where only tainted ones are there', async () => {
    const tolerations = [{ key: 'for', operator: 'Equal', value: 'crier', effect: 'NoSchedule' }];
    const nodeSelector = { pool: 'crier' };
    for (const [example, part] of [
      ['production', 'defaults'],
      ['small', 'single'],
    ] as const) {
      const { output } = await template([fileOf(example)], { [part]: { tolerations, nodeSelector } });
      const pods = podsOf(objectsOf(output));
      expect(pods.filter(([, pod]) => !isDeepStrictEqual(pod.tolerations, tolerations)).map(([name]) => name)).toEqual(
        [],
      );
      // A backup goes to the node of the process.
      const free = pods.filter(([name, pod]) => name !== 'crier-backup' && pod.nodeSelector?.pool !== 'crier');
      expect(free.map(([name]) => name)).toEqual([]);
    }
  });

  test('writes addresses of IPv6 in brackets', async () => {
    const { output } = await template([fileOf('production')], { ipFamily: 'IPv6' });
    const urls = podsOf(objectsOf(output))
      .flatMap(([, pod]) => containersOf(pod))
      .flatMap(({ env }) => env.filter(({ name }) => name === 'CRIER_INTERNAL_URL').map(({ value }) => value));
    expect(new Set(urls)).toEqual(new Set(['http://[$(POD_IP)]:8081']));
  });

  test('names a Job of migrate anew for each content where it is no hook', async () => {
    const jobOf = async (over: object): Promise<KubernetesObject> => {
      const { output } = await template([fileOf('gitops')], over);
      return objectsOf(output).find(({ kind }) => kind === 'Job')!;
    };
    const nameOf = async (over: object): Promise<string> => (await jobOf(over)).metadata.name;
    const first = await jobOf({});
    expect(await nameOf({})).toBe(first.metadata.name);
    expect(await nameOf({ roles: { webhooks: { replicas: 5 } } })).toBe(first.metadata.name);
    // Of a Job that is there, Kubernetes lets no field of the template change.
    for (const over of [
      { image: { tag: '9.9.9' } },
      { commonLabels: { team: 'a' } },
      { podSecurityContext: { fsGroup: 1000 } },
      { imagePullSecrets: [{ name: 'registry' }] },
      { defaults: { tolerations: [{ operator: 'Exists' }] } },
    ]) {
      const { metadata, spec } = await jobOf(over);
      expect(spec.template, JSON.stringify(over)).not.toEqual(first.spec.template);
      expect(metadata.name, JSON.stringify(over)).not.toBe(first.metadata.name);
    }
    const hook = (await objectsIn('production')).find(({ kind }) => kind === 'Job')!;
    expect(hook.metadata.annotations).toMatchObject({
      'helm.sh/hook': 'pre-install,pre-upgrade',
      // Helm uninstalls no hooks.
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    });
  });

  test('lets values of 0 and false win over the defaults', async () => {
    const over = { roles: { webhooks: { replicas: 0, topologySpread: false } } };
    const { output } = await template([fileOf('production')], over);
    const { spec } = objectsOf(output).find(
      ({ metadata, kind }) => kind === 'Deployment' && metadata.name === 'crier-webhooks',
    )!;
    expect(spec.replicas).toBe(0);
    expect(spec.template.spec.topologySpreadConstraints).toBeUndefined();
  });

  test.each([
    [
      'a value of another chart',
      { replicaCount: 3 },
      'replicaCount is no value of this chart: set roles.ingress.replicas',
    ],
    ['a misspelt value', { kafkaa: 1 }, "additional properties 'kafkaa' not allowed"],
    ['a misspelt setting', { settings: { CRIER_SIGNUP: 'open' } }, 'CRIER_SIGNUP'],
    ['a setting that the chart sets', { settings: { CRIER_ROLES: 'all' } }, 'CRIER_ROLES'],
    [
      'a kill before the drain ends',
      { roles: { media: { terminationGracePeriodSeconds: 60 } } },
      'must be 305 at least',
    ],
    ['more owners than partitions', { roles: { media: { replicas: 17 } } }, '/roles/media/replicas'],
    ['more of them by scaling', { roles: { media: { autoscaling: { type: 'hpa', maxReplicas: 20 } } } }, 'work for 16'],
    [
      'a Network that nobody publishes',
      { publishers: [{ name: 'a', publishes: ['x'] }] },
      'no entry of publishers publishes facebook',
    ],
    ['a tag that moves', { image: { tag: 'latest' } }, 'image.tag is latest'],
    ['a live installation without an address', { publicUrl: '' }, 'publicUrl is missing'],
    [
      'a cluster without its engines',
      { kafka: { brokers: [] }, secrets: { existingSecret: '' } },
      'kafka.brokers is missing',
    ],
    ['a scaler without a trigger', { roles: { webhooks: { autoscaling: { type: 'keda' } } } }, 'triggers is missing'],
    [
      'SASL without a password',
      { kafka: { sasl: { existingSecret: '' } } },
      'kafka.sasl.mechanism=scram-sha-512 needs',
    ],
  ])('answers %s with the fix', async (_, over, words) => {
    expect(await refusal('production', over)).toContain(words);
  });

  test('runs a backup, a check and then the removal of old ones, on the node of the process', async () => {
    const job = (await objectsIn('small')).find(({ kind }) => kind === 'CronJob')!;
    const pod = job.spec.jobTemplate.spec.template.spec;
    expect(containersOf(pod).map(({ name }) => name)).toEqual(['backup', 'verify', 'prune']);
    expect(pod.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution).toHaveLength(1);
    expect(await refusal('small', { single: { backup: { existingClaim: '' } } })).toContain(
      'name a claim on another disk',
    );
  });

  test('tells a backup and its check the former secrets, too, as values are sealed with them', async () => {
    const { output } = await template([fileOf('small')], { secrets: { previousSecretsKey: 'previous' } });
    const job = objectsOf(output).find(({ kind }) => kind === 'CronJob')!;
    for (const { env, name } of containersOf(job.spec.jobTemplate.spec.template.spec))
      expect(env, name).toContainEqual({
        name: 'CRIER_PREVIOUS_SECRETS',
        valueFrom: { secretKeyRef: { name: 'crier', key: 'previous' } },
      });
  });

  test('ends a backup that does not come to its end, which would keep all later ones from their turn', async () => {
    const spec = async (over: object) =>
      objectsOf((await template([fileOf('small')], over)).output).find(({ kind }) => kind === 'CronJob')!.spec;
    const { concurrencyPolicy, jobTemplate } = await spec({});
    expect([concurrencyPolicy, jobTemplate.spec.activeDeadlineSeconds]).toEqual(['Forbid', 21_600]);
    const other = await spec({ single: { backup: { deadlineSeconds: 600 } } });
    expect(other.jobTemplate.spec.activeDeadlineSeconds).toBe(600);
  });

  test('tells after the installation of a cluster with the sandbox where browsers find that', async () => {
    const values = parse(readFileSync(join(import.meta.dirname, '../', fileOf('trial-cluster')), 'utf8')) as object;
    const words = 'settings.CRIER_SANDBOX_PUBLIC_URL is not set';
    const found = await notes(values);
    expect(found).toContain('port-forward service/crier-sandbox 8090');
    expect(found).not.toContain(words);
    expect(await notes({ ...values, settings: {} })).toContain(words);
  });

  test('tells after the installation of one process how a pod that does not get ready is replaced', async () => {
    const words = await notes({ fullnameOverride: 'posts' });
    expect(words).toContain('kubectl --namespace default delete pod posts-0');
    expect(words).toContain('Kubernetes does not replace a pod that is not ready');
  });

  test('tells after the installation where all clients would count as one', async () => {
    const [publicUrl, words] = ['https://crier.example.com', 'trustedProxies is not set'];
    const route = { publicUrl, ingress: { enabled: true } };
    expect(await notes(route)).toContain(words);
    expect(await notes({ publicUrl, gateway: { enabled: true, parentRefs: [{ name: 'web' }] } })).toContain(words);
    expect(await notes({ ...route, trustedProxies: ['10.0.0.0/8'] })).not.toContain(words);
    expect(await notes({ publicUrl })).not.toContain(words);
  });

  describe('with a mediaUrl of another host', () => {
    const mediaUrl = 'https://Media.crier.example.com';
    const ingressOf = async (over: object) =>
      objectsOf((await template([fileOf('small')], over)).output).find(({ kind }) => kind === 'Ingress')!.spec;
    const files = (host: string) => ({ host, path: '/media', to: 'crier' });

    test('routes the files that Networks fetch there, and nothing else, by the Gateway API', async () => {
      const objects = await objectsIn('production');
      const routes = objects
        .filter(({ kind }) => kind === 'HTTPRoute')
        .map(({ spec: { hostnames, parentRefs, rules } }) => ({
          ...{ hosts: hostnames, parents: parentRefs.length },
          routes: rules.map(({ matches, backendRefs }: any) => [matches[0].path.value, backendRefs[0].name]),
        }));
      const { mediaUrl: told } = readConfig(environmentOf(processesOf(objects)[0]!.env));
      expect(routes).toEqual([
        { hosts: ['crier.example.com'], parents: 1, routes: [['/', 'crier']] },
        { hosts: [new URL(told!).hostname], parents: 1, routes: [['/media', 'crier']] },
      ]);
    });

    test('routes them by an Ingress, too, under its certificate or one of their own', async () => {
      const { rules, tls } = await ingressOf({ mediaUrl });
      const routed = rules.map(({ host, http }: any) => ({
        ...{ host, path: http.paths[0].path, to: http.paths[0].backend.service.name },
      }));
      expect(routed).toEqual([{ ...files('crier.example.com'), path: '/' }, files('media.crier.example.com')]);
      const [{ secretName }] = tls;
      expect(tls).toEqual([{ hosts: ['crier.example.com', 'media.crier.example.com'], secretName }]);
      const apart = await ingressOf({ mediaUrl, ingress: { mediaTlsSecret: 'media-tls' } });
      expect(apart.tls).toEqual([
        { hosts: ['crier.example.com'], secretName },
        { hosts: ['media.crier.example.com'], secretName: 'media-tls' },
      ]);
    });

    test.each(['', 'https://crier.example.com/files', 'https://10.0.0.1', 'http://[::1]:80', 'https://a_b'])(
      'routes no other host for %o',
      async (other) => {
        const { rules, tls } = await ingressOf({ mediaUrl: other });
        expect(rules.map(({ host }: any) => host)).toEqual(['crier.example.com']);
        expect(tls.flatMap(({ hosts }: any) => hosts)).toEqual(['crier.example.com']);
      },
    );

    test('tells after the installation that the name has to lead there', async () => {
      const route = { publicUrl: 'https://crier.example.com', ingress: { enabled: true } };
      const words = 'Files are fetched at media.crier.example.com, which has to lead to the same proxy';
      expect(await notes({ ...route, mediaUrl })).toContain(words);
      expect(await notes(route)).not.toContain('Files are fetched at');
    });
  });

  test('lists every image that a mirror needs', async () => {
    const images = new Set<string>();
    for (const example of ['default', ...EXAMPLES].filter((name) => name !== 'air-gapped'))
      for (const [, pod] of podsOf(await objectsIn(example)))
        for (const { image } of containersOf(pod)) images.add(image);
    const { version } = parse(readFileSync(join(import.meta.dirname, 'crier/Chart.yaml'), 'utf8')) as {
      version: string;
    };
    expect(images).toEqual(new Set(['crier', 'crier-media'].map((name) => `ghcr.io/crier-project/${name}:${version}`)));
  });
});
