import { expect, test } from 'vitest';
import type { KubernetesObject } from './helm.fixture.ts';
import { breachesOf } from './house-rules.fixture.ts';

const container = {
  name: 'crier',
  image: 'ghcr.io/crier-project/crier:1.0.0',
  env: [{ name: 'CRIER_SECRET', valueFrom: {} }],
  resources: { requests: { cpu: '1' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};
const pod = {
  enableServiceLinks: false,
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [container],
};
const deployment = (over: object): KubernetesObject => ({
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: { template: { spec: { ...pod, ...over } } },
});
const withContainer = (over: object): KubernetesObject => deployment({ containers: [{ ...container, ...over }] });
const withContext = (over: object): KubernetesObject =>
  withContainer({ securityContext: { ...container.securityContext, ...over } });
const configMap = (data: Readonly<Record<string, string>>): KubernetesObject => ({
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  spec: undefined,
  data,
});

test('a pod as it must be breaks nothing', () => {
  expect(breachesOf([deployment({}), configMap({ 'board.json': '{"title":"Overview"}' })])).toEqual([]);
});

test.each([
  [deployment({ enableServiceLinks: undefined }), 'gets variables of Services'],
  [deployment({ automountServiceAccountToken: true }), 'gets a token of Kubernetes'],
  [deployment({ securityContext: { ...pod.securityContext, runAsNonRoot: false } }), 'may run as root'],
  [deployment({ securityContext: { ...pod.securityContext, runAsUser: 0 } }), 'runs as user 0'],
  [deployment({ securityContext: { runAsNonRoot: true, runAsUser: 65_532 } }), 'has no seccomp profile'],
  [deployment({ hostNetwork: true }), 'shares the host'],
  [deployment({ initContainers: [{ ...container, name: 'b', securityContext: {} }] }), '(container b)'],
  [withContainer({ image: 'ghcr.io/crier-project/crier:latest' }), 'is no release'],
  [withContainer({ image: 'ghcr.io/crier-project/crier' }), 'is no release'],
  [withContainer({ resources: {} }), 'requests no resources'],
  [withContainer({ env: [{ name: 'CRIER_SECRET', value: 'changeme' }] }), 'has a credential in clear: CRIER_SECRET'],
  [withContext({ readOnlyRootFilesystem: false }), 'writes its root'],
  [withContext({ allowPrivilegeEscalation: true }), 'may gain privileges'],
  [withContext({ capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] } }), 'has capabilities'],
  [withContext({ privileged: true }), 'is privileged'],
  [configMap({ 'admin-token': 'abc' }), 'holds admin-token, which belongs into a Secret'],
  [configMap({ url: 'smtps://me:letmein@mail.example.com' }), 'holds a credential'],
  [configMap({ pem: '-----BEGIN EC PRIVATE KEY-----' }), 'holds a credential'],
  [{ kind: 'Secret', metadata: { name: 'a' }, spec: undefined }, 'is made by the chart'],
])('%j is found where it is planted', (planted, words) => {
  expect(breachesOf([planted]).join('\n')).toContain(words);
});
