import type { StartFailure } from '../../runtime.ts';
import type { WorkerTemplate } from '../../template.ts';
import type { Installation } from '../installation.ts';
import { hostOfImage, hostOfUrl, isAllowedHost } from './host.ts';
import { isAllowedImage, repositoryOf } from './image.ts';

/**
 * Returns why the administrator's rules refuse the image or the artifact of a template. Undefined if the rules allow
 * both.
 */
export function findRefusal(template: WorkerTemplate, installation: Installation): StartFailure | undefined {
  const refusal = findImageRefusal(template, installation) ?? findArtifactRefusal(template, installation);
  if (refusal !== undefined) return refusal;
  for (const guest of template.guests ?? []) {
    const found = findArtifactRefusal(guest, installation);
    if (found !== undefined) return { ...found, message: `guest ${guest.model}: ${found.message}` };
  }
  return undefined;
}

function findImageRefusal({ worker }: WorkerTemplate, { image, allowedImages }: Installation) {
  if (worker.image === undefined) return undefined;
  const allowed = image === '' ? allowedImages : [repositoryOf(image), ...allowedImages];
  if (isAllowedImage(worker.image, allowed)) return undefined;
  const message =
    `image "${worker.image}" (spec.worker.image) is not allowed: add it to worker.allowedImages of the chart, ` +
    `or use ${listWords(allowed)}`;
  return { reason: 'ImageRefused', message };
}

function findArtifactRefusal(
  { artifact }: Pick<WorkerTemplate, 'artifact'>,
  installation: Installation,
): StartFailure | undefined {
  if ('url' in artifact) {
    const host = hostOfUrl(artifact.url) ?? artifact.url;
    return (
      findHostRefusal(host, 'spec.artifact.url', artifact.secretRef !== undefined, installation) ??
      (artifact.cache && findClaimRefusal(artifact.cache.claimName, 'spec.artifact.cache', installation))
    );
  }
  if ('image' in artifact) {
    return findHostRefusal(hostOfImage(artifact.image), 'spec.artifact.image', false, installation);
  }
  const claim = 'persistentVolumeClaim' in artifact ? artifact.persistentVolumeClaim : undefined;
  return claim && findClaimRefusal(claim.claimName, 'spec.artifact.persistentVolumeClaim', installation);
}

/** Returns a refusal if the volume belongs to the installation itself, such as the volume of Redis. */
function findClaimRefusal(name: string, field: string, { ownClaims }: Installation): StartFailure | undefined {
  const isOwn = ownClaims.some((own) => (own.endsWith('*') ? name.startsWith(own.slice(0, -1)) : name === own));
  if (!isOwn) return undefined;
  const message = `PersistentVolumeClaim "${name}" (${field}) belongs to svc-asr itself, and no model may use it: name another one`;
  return { reason: 'ArtifactClaimRefused', message };
}

/**
 * Returns a refusal if the host is not in the list. An empty list allows every host, but then the artifact must not
 * need credentials.
 */
function findHostRefusal(
  host: string,
  field: string,
  hasCredentials: boolean,
  { allowedArtifactHosts: allowed }: Installation,
): StartFailure | undefined {
  if (isAllowedHost(host, allowed)) return undefined;
  const reason = 'ArtifactHostRefused';
  const remedy = `add "${host}" to worker.allowedArtifactHosts of the chart`;
  if (allowed.length > 0) {
    return { reason, message: `host "${host}" (${field}) is not allowed: ${remedy}, or use ${listWords(allowed)}` };
  }
  if (!hasCredentials) return undefined;
  const message = `the credentials of spec.artifact.secretRef must not be sent to "${host}" (${field}): ${remedy}`;
  return { reason, message };
}

function listWords(entries: readonly string[]): string {
  return entries.length === 0 ? 'the default' : entries.join(', ');
}
