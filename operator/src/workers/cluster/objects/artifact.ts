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

/**
 * Builds the parts of a pod that provide the model files of a template or of one of its guests. The suffix of a guest
 * distinguishes its volumes, folders and containers from others in the pod.
 */
export function buildArtifact(
  template: WorkerTemplate,
  installation: Installation,
  { artifact, suffix }: { artifact: WorkerTemplate['artifact']; suffix: string } = {
    artifact: template.artifact,
    suffix: '',
  },
): ArtifactParts {
  if ('path' in artifact) return { modelDir: artifact.path, volumes: [], mounts: [], initContainers: [] };
  const name = VOLUME + suffix;
  if ('url' in artifact) {
    const { initContainer, volumes } = buildFetcher(template, artifact, installation, name, suffix);
    const folder = PATHS.artifacts + suffix;
    const mounts = [{ name, mountPath: folder, readOnly: true }];
    return { modelDir: `${folder}/${artifact.sha256}`, volumes, mounts, initContainers: [initContainer] };
  }
  const modelDir = PATHS.model + suffix;
  if ('image' in artifact) {
    const image = { reference: artifact.image, pullPolicy: 'IfNotPresent' };
    return mounted({ name, image }, modelDir, '');
  }
  const { claimName, path } = artifact.persistentVolumeClaim;
  return mounted({ name, persistentVolumeClaim: { claimName, readOnly: true } }, modelDir, path);
}

/** Builds the parts of a pod that mount a volume with the model files. */
function mounted(volume: V1Volume, modelDir: string, subPath: string): ArtifactParts {
  const mount = { name: volume.name, mountPath: modelDir, readOnly: true, ...(subPath !== '' && { subPath }) };
  return { modelDir, volumes: [volume], mounts: [mount], initContainers: [] };
}
