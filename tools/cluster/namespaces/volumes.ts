import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { V1PersistentVolume, V1StorageClass } from '@kubernetes/client-node';

const STORAGE_CLASS = 'standard';
/** Number of claims that a cluster can bind in its lifetime. A released volume is not bound again. */
const VOLUMES = 20;
/** Nominal size. All volumes share the disk of the machine. */
const CAPACITY = '100Gi';

/** Creates the folders of the volumes; returns the default StorageClass and one PersistentVolume for each folder. */
export function createVolumes(folder: string): (V1StorageClass | V1PersistentVolume)[] {
  const storageClass: V1StorageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: STORAGE_CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'Immediate',
  };
  const volumes = Array.from({ length: VOLUMES }, (_, index) => `volume-${index + 1}`).map((name) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    return buildVolume(name, path);
  });
  return [storageClass, ...volumes];
}

function buildVolume(name: string, path: string): V1PersistentVolume {
  const everyNode = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      storageClassName: STORAGE_CLASS,
      capacity: { storage: CAPACITY },
      accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
      // The kubelet sets the group that a pod requests with fsGroup on local volumes, but not on hostPath volumes.
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [everyNode] }] } },
    },
  };
}
