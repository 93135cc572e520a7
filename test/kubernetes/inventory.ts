import type { KubernetesApi } from './kubernetes-api.ts';

/** Written by the API server's clients about objects, and deleted by age. */
const NOT_ASKED = new Set(['events', 'bindings']);

/** Every object in the namespace, of every kind that can be listed: `kind name`. */
export async function inventory(api: KubernetesApi, namespace: string): Promise<readonly string[]> {
  const groups = (await api.get('/apis'))['groups'] as readonly any[];
  const versions = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const found: string[] = [];
  for (const version of versions) {
    const { resources } = (await api.get(version)) as unknown as { readonly resources: readonly any[] };
    const listed = resources.filter(
      ({ name, namespaced, verbs }) => namespaced && verbs.includes('list') && !NOT_ASKED.has(name),
    );
    for (const { name } of listed)
      for (const { metadata } of await api.list(`${version}/namespaces/${namespace}/${name}`))
        found.push(`${name} ${metadata.name}`);
  }
  return found.toSorted();
}
