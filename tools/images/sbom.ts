import { PINNED } from '../launch/node.mjs';
import { workspacesOf } from './contents.ts';
import type { Sources } from './contents.ts';
import { askNpm, listPackages } from './npm.ts';
import type { Cpu } from './npm.ts';
import { PLATFORMS } from './platform.ts';

/** Part of an image in CycloneDX 1.5. */
interface Component {
  type: 'library' | 'container';
  name: string;
  version: string;
  purl: string;
}

/**
 * Builds the bill of materials of an image in CycloneDX. It lists the output of `npm sbom`, and parts that npm does not
 * know.
 */
export function buildSbom(
  name: string,
  version: string,
  layers: readonly string[],
  { root, platform, debian, k6 }: Sources,
) {
  const component = (part: string, partVersion: string, purl: string): Component => ({
    type: 'library',
    name: part,
    version: partVersion,
    purl: `pkg:${purl}`,
  });
  const { debian: arch, node: cpu } = PLATFORMS[platform];
  const modules = layers.includes('k6') ? Object.entries(k6?.modules ?? {}) : [];
  const components = [
    component('node', PINNED, `generic/node@${PINNED}`),
    ...debian.map((entry) =>
      component(
        entry.name,
        entry.version,
        `deb/debian/${encodeURIComponent(entry.name)}@${encodeURIComponent(entry.version)}?arch=${arch}`,
      ),
    ),
    ...npmComponents(root, workspacesOf(layers), cpu),
    ...modules.map(([path, moduleVersion]) => component(path, moduleVersion, `golang/${path}@${moduleVersion}`)),
  ];
  const image = { ...component(name, version, `oci/${name}@${version}`), type: 'container' };
  return { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component: image }, components };
}

/** Returns the components that `npm sbom` lists for workspaces, without packages that the image does not contain. */
function npmComponents(root: string, workspaces: readonly string[], cpu: Cpu): Component[] {
  if (workspaces.length === 0) return [];
  const command = ['sbom', '--sbom-format=cyclonedx', ...workspaces.map((name) => `--workspace=${name}`)];
  const { components } = askNpm(root, command) as { components: Component[] };
  const present = new Set(listPackages(root, workspaces, cpu).map(({ name, version }) => `${name}@${version}`));
  return components.filter(({ purl }) => present.has(decodeURIComponent(purl.replace('pkg:npm/', ''))));
}
