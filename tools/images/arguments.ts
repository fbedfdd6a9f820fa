import { parseArgs } from 'node:util';
import type { Target } from './dockerfile.ts';
import { IMAGES } from './image.ts';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';

const NAMES = [...IMAGES.map(({ name }) => name), 'redis'];

export const USAGE = `npm run images -- [IMAGE...] [--platform PLATFORM] [--out FOLDER] [--verify]
  IMAGE          ${NAMES.join(', ')}; all by default
  --platform     ${Object.keys(PLATFORMS).join(' or ')}; that of this machine by default
  --out          folder for archives and bills of materials; .svc-asr/images by default
  --verify       builds images/Dockerfile with buildah too and compares the images file by file (root, Debian);
                 without IMAGE, all but svc-asr-loadtest, for which k6 must be compiled, and redis
`;

/** Parsed arguments of `npm run images`. */
export interface ImageArguments {
  images: readonly Target[];
  redis: boolean;
  platform: Platform;
  out: string | undefined;
  verify: boolean;
}

/** Parses the arguments of `npm run images`. Returns undefined if they ask for help. */
export function parseImageArguments(args: readonly string[], machine: Platform): ImageArguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      platform: { type: 'string', default: machine },
      out: { type: 'string' },
      verify: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const { out, verify } = values;
  const unknown = positionals.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new Error(`no image is named "${unknown}"; choose from ${NAMES.join(', ')}`);
  const platform = (Object.keys(PLATFORMS) as Platform[]).find((name) => name === values.platform);
  if (platform === undefined) throw new Error(`--platform must be one of ${Object.keys(PLATFORMS).join(', ')}`);
  const all = positionals.length === 0;
  const images = IMAGES.filter(({ name, layers }) =>
    all ? !(verify && layers.includes('k6')) : positionals.includes(name),
  );
  return { images, redis: !verify && (all || positionals.includes('redis')), platform, out, verify };
}
