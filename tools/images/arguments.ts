import { parseArgs } from 'node:util';
import { CUDA_PLATFORM } from './cuda.ts';
import { IMAGES, titleOf } from './image.ts';
import type { ServiceImage } from './image.ts';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';

/** What is built only when it is named. */
const REDIS = 'redis';

export const USAGE = `npm run images -- [IMAGE...] [--platform PLATFORM] [--out FOLDER] [--dockerfiles]
  IMAGE          ${[...IMAGES.map(titleOf), REDIS].join(', ')};
                 without one: all of the services but the one for CUDA, which takes 3 GB, and redis for the test cluster
  --platform     ${Object.keys(PLATFORMS).join(' or ')}; this machine's unless told
  --out          where archives and bills of materials go; .svc-asr/images unless told
  --dockerfiles  renews images/*.Dockerfile instead
`;

/** What `npm run images` was asked for. */
export interface ImageArguments {
  images: readonly ServiceImage[];
  redis: boolean;
  platform: Platform;
  out: string | undefined;
  dockerfiles: boolean;
}

/** Reads the arguments of `npm run images`; undefined when it was asked how it is used. */
export function parseImageArguments(args: readonly string[], present: Platform): ImageArguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      platform: { type: 'string', default: present },
      out: { type: 'string' },
      dockerfiles: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const known = [...IMAGES.map(titleOf), REDIS];
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is none of ${known.join(', ')}`);
  const platform = (Object.keys(PLATFORMS) as Platform[]).find((name) => name === values.platform);
  if (platform === undefined) throw new Error(`--platform is one of ${Object.keys(PLATFORMS).join(', ')}`);
  const all = positionals.length === 0;
  const images = IMAGES.filter((image) => (all ? !image.cuda : positionals.includes(titleOf(image))));
  if (platform !== CUDA_PLATFORM && images.some(({ cuda }) => cuda)) {
    throw new Error(`onnxruntime has no CUDA for ${platform}: build the CUDA image for ${CUDA_PLATFORM}`);
  }
  return {
    images,
    redis: all || positionals.includes(REDIS),
    platform,
    out: values.out,
    dockerfiles: values.dockerfiles,
  };
}
