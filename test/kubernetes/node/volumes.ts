import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EnvironmentSources } from './environment.ts';

/** The folder of each volume of a pod, by name. Claims are folders below `claims` and outlive the pod. */
export async function makeVolumes(
  folder: string,
  claims: string,
  { pod, keysOf }: Pick<EnvironmentSources, 'pod' | 'keysOf'>,
): Promise<ReadonlyMap<string, string>> {
  const group = (pod.spec.securityContext?.fsGroup ?? 0) as number;
  const made = new Map<string, string>();
  for (const volume of (pod.spec.volumes ?? []) as readonly any[]) {
    const at =
      volume.persistentVolumeClaim === undefined
        ? join(folder, volume.name)
        : join(claims, pod.metadata.namespace!, volume.persistentVolumeClaim.claimName);
    mkdirSync(at, { recursive: true });
    made.set(volume.name, at);
    const isEmpty = volume.emptyDir !== undefined;
    if (isEmpty || volume.persistentVolumeClaim !== undefined) {
      chownSync(at, 0, group);
      // A new disk belongs to root; only the group of the pod makes it writable.
      chmodSync(at, isEmpty ? 0o2777 : 0o2775);
      continue;
    }
    const source = volume.secret ?? volume.configMap;
    if (source === undefined) throw new Error(`volumes of this kind are not known here: ${JSON.stringify(volume)}`);
    const kind = volume.secret === undefined ? 'configmaps' : 'secrets';
    const keys = await keysOf(kind, source.secretName ?? source.name);
    for (const [key, value] of Object.entries(keys)) {
      const file = join(at, key);
      writeFileSync(file, value);
      chownSync(file, 0, group);
      chmodSync(file, source.defaultMode ?? 0o644);
    }
  }
  return made;
}
