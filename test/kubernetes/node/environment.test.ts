import { describe, expect, test } from 'vitest';
import { environmentOf, expand, type EnvironmentSources } from './environment.ts';

const service = (name: string, namespace = 'social', port = 80): any => ({
  metadata: { name, namespace, uid: name, resourceVersion: '1' },
  spec: { clusterIP: '10.96.0.9', ports: [{ name: 'http', port, protocol: 'TCP' }] },
});

function sources(spec: object = {}): EnvironmentSources {
  return {
    pod: { metadata: { name: 'pod', namespace: 'social', uid: 'u', resourceVersion: '1' }, spec },
    podAddress: '10.244.1.2',
    services: [service('crier'), service('crier', 'elsewhere', 99), service('kubernetes', 'default', 443)],
    keysOf: (kind, name) =>
      name === 'there' ? Promise.resolve({ key: `${kind} value` }) : Promise.reject(new Error(`no ${name}`)),
  };
}

describe('the environment of a container', () => {
  test('announces the Services of its namespace as a kubelet does, unless the pod says no', async () => {
    const linked = await environmentOf({}, sources());
    expect(linked).toMatchObject({
      CRIER_SERVICE_HOST: '10.96.0.9',
      CRIER_SERVICE_PORT: '80',
      CRIER_SERVICE_PORT_HTTP: '80',
      CRIER_PORT: 'tcp://10.96.0.9:80',
      CRIER_PORT_80_TCP: 'tcp://10.96.0.9:80',
      CRIER_PORT_80_TCP_ADDR: '10.96.0.9',
      KUBERNETES_PORT: 'tcp://10.96.0.9:443',
    });
    const unlinked = Object.keys(await environmentOf({}, sources({ enableServiceLinks: false })));
    expect(unlinked.filter((name) => !name.startsWith('KUBERNETES_'))).toEqual([]);
  });

  test('puts a variable into those behind it, and into none before it', async () => {
    const env = [
      { name: 'BEFORE', value: '$(POD_IP)' },
      { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'AFTER', value: 'http://$(POD_IP):8081' },
    ];
    expect(await environmentOf({ env }, sources({ enableServiceLinks: false }))).toMatchObject({
      BEFORE: '$(POD_IP)',
      AFTER: 'http://10.244.1.2:8081',
    });
    expect(expand('$$(A) $(A) $(B)', { A: '1' })).toBe('$(A) 1 $(B)');
  });

  test('has the keys of Secrets and ConfigMaps, and is not made without one that must be there', async () => {
    const from = (kind: string, name: string, key = 'key', optional = false): any => ({
      env: [{ name: 'VALUE', valueFrom: { [kind]: { name, key, optional } } }],
    });
    expect(await environmentOf(from('secretKeyRef', 'there'), sources())).toMatchObject({ VALUE: 'secrets value' });
    expect(await environmentOf(from('configMapKeyRef', 'there'), sources())).toMatchObject({
      VALUE: 'configmaps value',
    });
    expect(await environmentOf(from('secretKeyRef', 'away', 'key', true), sources())).not.toHaveProperty('VALUE');
    await expect(environmentOf(from('secretKeyRef', 'away'), sources())).rejects.toThrow('no away');
    await expect(environmentOf(from('secretKeyRef', 'there', 'other'), sources())).rejects.toThrow('has no key other');
    const all = { envFrom: [{ prefix: 'A_', secretRef: { name: 'there' } }] };
    expect(await environmentOf(all, sources())).toMatchObject({ A_key: 'secrets value' });
  });
});
