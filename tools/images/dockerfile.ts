import { readGoModule } from '../install/go-module.ts';
import { CUDA_PLATFORM } from './cuda.ts';
import { buildImageConfig } from './image-config.ts';
import { IMAGES, titleOf } from './image.ts';
import type { ServiceImage } from './image.ts';

/** Layers in the order in which the list names them. */
function layersOf({ cuda, models, loadtests }: ServiceImage): string[] {
  if (loadtests) return ['system', 'node', 'k6', 'recordings', 'program'];
  return ['system', 'node', 'dependencies', ...(cuda ? ['cuda'] : []), ...(models ? ['models'] : []), 'program'];
}

/**
 * The Dockerfile of an image. Its first stage runs the same list as the build without a daemon and lays out what goes in;
 * the second consists of nothing else.
 */
export function buildDockerfile(image: ServiceImage): string {
  const title = titleOf(image);
  const { user, workingDir, entrypoint, env, labels } = buildImageConfig(image, '$VERSION');
  // Wheels come with pip; everything else is in the base.
  const python = image.cuda
    ? 'RUN apt-get update && apt-get install --yes --no-install-recommends python3-pip && rm -rf /var/lib/apt/lists/*\n'
    : '';
  return `# Made by \`npm run images -- --dockerfiles\` from tools/images, which a test compares it with.
# docker build --file images/${title}.Dockerfile --build-arg VERSION=0.1.0 --tag ${image.name}:0.1.0${image.tagSuffix} .
${image.loadtests ? `FROM --platform=$BUILDPLATFORM ${goImage()} AS go\n\n` : ''}FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
ARG TARGETARCH${image.cuda ? `=${CUDA_PLATFORM.replace('linux/', '')}` : ''}
${python}${image.loadtests ? 'COPY --from=go /usr/local/go /usr/local/go\n' : ''}WORKDIR /src
COPY . .
RUN npm ci && npx tsc --build && node packages/api-docs/dist/build.js
RUN node tools/images/stage.ts ${title} linux/$TARGETARCH /stage

FROM scratch
ARG VERSION=0.0.0
${Object.entries(labels)
  .map(([name, value]) => `LABEL ${name}="${value}"`)
  .join('\n')}
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
${env.map((variable) => `ENV ${variable}`).join('\n')}
${layersOf(image)
  .map((layer) => `COPY --from=build /stage/${layer}/ /`)
  .join('\n')}
WORKDIR ${workingDir}
USER ${user}
ENTRYPOINT ${JSON.stringify(entrypoint)}
`;
}

/** Carries the Go that k6 is built with. */
function goImage(): string {
  const [major, minor] = readGoModule('k6').module.goVersion.split('.');
  return `golang:${major}.${minor}-bookworm`;
}

/** What keeps folders of the repository that no image needs out of a build. */
const IGNORED = ['.git', '.svc-asr', '**/node_modules', '**/dist', '**/*.tsbuildinfo', 'training', 'coverage'];

/** Files under images/ by their names. Docker reads the list of what to leave out beside the Dockerfile. */
export function buildDockerfiles(): Record<string, string> {
  const files: Record<string, string> = {};
  for (const image of IMAGES) {
    files[`${titleOf(image)}.Dockerfile`] = buildDockerfile(image);
    files[`${titleOf(image)}.Dockerfile.dockerignore`] = `${IGNORED.join('\n')}\n`;
  }
  return files;
}
