import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import type { GuestTemplate, WorkerTemplate } from '../../template.ts';
import type { Installation } from '../installation.ts';
import { PATHS, STREAM_PORTS } from '../installation.ts';
import { sharedName } from '../names.ts';
import { buildArtifact } from './artifact.ts';
import type { ArtifactParts } from './artifact.ts';
import { secretMode } from './container.ts';

/** The parts of a pod that belong to a guest. */
export interface GuestParts extends Omit<ArtifactParts, 'modelDir'> {
  /** Entry of the guest in the setting GUESTS. */
  variables: Record<string, string | number>;
}

/**
 * Returns the ports of a guest, by its position in the list of guests. They follow the ports of the host and of the
 * guests before it.
 */
export function guestPorts(index: number): number[] {
  return STREAM_PORTS.map((port) => port + (index + 1) * STREAM_PORTS.length);
}

/**
 * Builds the model files, credentials and variables of a guest. The names of the volumes and folders of a guest contain
 * its position in the list.
 */
export function buildGuest(
  template: WorkerTemplate,
  { model, artifact }: GuestTemplate,
  index: number,
  installation: Installation,
): GuestParts {
  const suffix = `-${index + 1}`;
  const { modelDir, volumes, mounts, initContainers } = buildArtifact(template, installation, { artifact, suffix });
  const secret = buildCredentials(model, `guest${suffix}`, `${PATHS.guests}/${index + 1}`, installation);
  return {
    variables: { MODEL_DIR: modelDir, PORT: guestPorts(index)[0] ?? 0, ...secret.variables },
    volumes: [...secret.volumes, ...volumes],
    mounts: [...secret.mounts, ...mounts],
    initContainers,
  };
}

/** Builds the mount of the certificate and the REDIS_URL of a guest, which are in the guest's own Secret. */
function buildCredentials(
  model: string,
  name: string,
  folder: string,
  installation: Installation,
): { variables: Record<string, string>; volumes: V1Volume[]; mounts: V1VolumeMount[] } {
  const { redis, tls } = installation;
  const files = {
    ...(redis.secret === undefined && { REDIS_URL_FILE: 'url' }),
    ...(tls && { TLS_CERT_FILE: 'tls.crt', TLS_KEY_FILE: 'tls.key' }),
  };
  const keys = Object.values(files);
  if (keys.length === 0) return { variables: {}, volumes: [], mounts: [] };
  const items = keys.map((key) => ({ key, path: key }));
  const secret = { secretName: sharedName(model), items, defaultMode: secretMode(installation) };
  return {
    variables: Object.fromEntries(Object.entries(files).map(([variable, key]) => [variable, `${folder}/${key}`])),
    volumes: [{ name, secret }],
    mounts: [{ name, mountPath: folder, readOnly: true }],
  };
}
