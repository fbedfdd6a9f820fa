import { join } from 'node:path';

export const PROVISIONER = 'svc-asr.dev/folder';
export const STORAGE_CLASS = 'standard';

/** What matters here of a claim for storage. */
export interface Claim {
  metadata: { name: string; namespace: string; uid: string; deletionTimestamp?: string };
  spec: {
    storageClassName?: string;
    volumeName?: string;
    accessModes: string[];
    resources: { requests: { storage: string } };
  };
}

/** What matters here of a volume. */
export interface Volume {
  metadata: { name: string; annotations?: Record<string, string> };
  spec: { persistentVolumeReclaimPolicy?: string };
  status?: { phase?: string };
}

/** The class of storage that claims get which name none. */
export function buildStorageClass(): object {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: STORAGE_CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  };
}

/** Claims that wait for a volume. */
export function findWaiting(claims: readonly Claim[], volumes: readonly Volume[]): Claim[] {
  const there = new Set(volumes.map(({ metadata }) => metadata.name));
  return claims.filter(
    ({ metadata, spec }) =>
      spec.storageClassName === STORAGE_CLASS &&
      (spec.volumeName ?? '') === '' &&
      metadata.deletionTimestamp === undefined &&
      !there.has(volumeName(metadata.uid)),
  );
}

/** Volumes of ours that nobody claims any more. */
export function findReleased(volumes: readonly Volume[]): Volume[] {
  return volumes.filter(
    ({ metadata, spec, status }) =>
      metadata.annotations?.['pv.kubernetes.io/provisioned-by'] === PROVISIONER &&
      spec.persistentVolumeReclaimPolicy === 'Delete' &&
      status?.phase === 'Released',
  );
}

/** A volume for a claim: a folder that every node sees, as they would a disk on the network. */
export function buildVolume({ metadata, spec }: Claim, folder: string): { volume: object; path: string } {
  const name = volumeName(metadata.uid);
  const path = join(folder, name);
  const { uid, namespace } = metadata;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: metadata.name, uid };
  const everywhere = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': PROVISIONER } },
    spec: {
      storageClassName: STORAGE_CLASS,
      capacity: { storage: spec.resources.requests.storage },
      accessModes: spec.accessModes,
      persistentVolumeReclaimPolicy: 'Delete',
      claimRef,
      // Not hostPath: of that kubelet does not change the group, as pods ask for with fsGroup.
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [everywhere] }] } },
    },
  };
  return { volume, path };
}

function volumeName(claimUid: string): string {
  return `pvc-${claimUid}`;
}
