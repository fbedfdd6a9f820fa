import type { ServiceImage } from './image.ts';
import { titleOf, USER } from './image.ts';
import { K6_LICENCE } from './k6.ts';
import type { ImageConfig } from './oci.ts';

/** How the image of a service runs. */
export function buildImageConfig(image: ServiceImage, version: string): ImageConfig {
  return {
    user: `${USER.id}:${USER.id}`,
    workingDir: '/app',
    entrypoint: ['node', `/app/${image.program}`],
    env: environmentOf(image),
    labels: labelsOf(image, version),
  };
}

/** Variables of an image; the runtime of GPU nodes reads those of the CUDA one. */
function environmentOf({ cuda }: ServiceImage): string[] {
  const always = ['NODE_ENV=production'];
  return cuda ? [...always, 'NVIDIA_VISIBLE_DEVICES=all', 'NVIDIA_DRIVER_CAPABILITIES=compute,utility'] : always;
}

function labelsOf(image: ServiceImage, version: string): Record<string, string> {
  return {
    'org.opencontainers.image.title': titleOf(image),
    'org.opencontainers.image.description': image.description,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': image.loadtests ? `Apache-2.0 AND ${K6_LICENCE}` : 'Apache-2.0',
  };
}
