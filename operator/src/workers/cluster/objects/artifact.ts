import type { V1Container, V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../template.ts';
import { buildFetcher } from './fetcher.ts';
import type { Installation } from '../installation.ts';
import { PATHS } from '../installation.ts';

/** The parts of a pod that provide the model files. */
export interface ArtifactParts {
  /** Folder of the model files in the worker container. */
  modelDir: string;
  volumes: V1Volume[];
  /** Volume mounts of the worker container. */
  mounts: V1VolumeMount[];
  initContainers: V1Container[];
}

const VOLUME = 'model';

/** Builds the parts of a pod that provide the model files of a template. */
export function buildArtifact(template: WorkerTemplate, installation: Installation): ArtifactParts {
  const { artifact } = template;
  if ('path' in artifact) return { modelDir: artifact.path, volumes: [], mounts: [], initContainers: [] };
  if ('url' in artifact) {
    const { initContainer, volumes } = buildFetcher(template, artifact, installation, VOLUME);
    const mounts = [{ name: VOLUME, mountPath: PATHS.artifacts, readOnly: true }];
    return { modelDir: `${PATHS.artifacts}/${artifact.sha256}`, volumes, mounts, initContainers: [initContainer] };
  }
  if ('image' in artifact) {
    const image = { reference: artifact.image, pullPolicy: 'IfNotPresent' };
    return mounted({ name: VOLUME, image }, '');
  }
  const { claimName, path } = artifact.persistentVolumeClaim;
  return mounted({ name: VOLUME, persistentVolumeClaim: { claimName, readOnly: true } }, path);
}

/** Mounts a volume that contains the model files. */
function mounted(volume: V1Volume, subPath: string): ArtifactParts {
  const mount = { name: VOLUME, mountPath: PATHS.model, readOnly: true, ...(subPath !== '' && { subPath }) };
  return { modelDir: PATHS.model, volumes: [volume], mounts: [mount], initContainers: [] };
}
