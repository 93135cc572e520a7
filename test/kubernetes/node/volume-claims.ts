import type { ClusterObject, KubernetesApi } from '../kubernetes-api.ts';

/**
 * What a storage class does: a disk for each claim that waits for one. The disk is a row; its folder is made by the
 * first pod that has it.
 */
export class VolumeClaims {
  readonly #api: KubernetesApi;
  readonly #made = new Set<string>();

  constructor(api: KubernetesApi) {
    this.#api = api;
  }

  setClaims(claims: Iterable<ClusterObject>): void {
    for (const claim of claims) {
      const { uid } = claim.metadata;
      if (claim.status?.phase !== 'Pending' || this.#made.has(uid)) continue;
      this.#made.add(uid);
      void this.#provide(claim).catch(() => this.#made.delete(uid));
    }
  }

  async #provide({ metadata, spec }: ClusterObject): Promise<void> {
    const { name, namespace, uid } = metadata;
    await this.#api.create('/api/v1/persistentvolumes', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `disk-${uid}` },
      spec: {
        capacity: { storage: spec.resources.requests.storage },
        accessModes: spec.accessModes,
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid },
        hostPath: { path: `/claims/${namespace}/${name}` },
      },
    });
  }
}
