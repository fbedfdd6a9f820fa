import { readGoModule, versionOf } from './go-module.ts';
import { isSameMinor, isWithinOneMinor, parseVersion } from './program-version.ts';
import type { Version } from './program-version.ts';

/** A program that is built from a module of tools. */
export interface GoTool {
  /** The folder of its go.mod under tools/go. */
  module: 'kubernetes' | 'kwok' | 'helm' | 'coredns' | 'k6';
  /** Arguments that print the version. Without them, only a program that was built here counts as the pinned one. */
  versionArgs?: readonly string[];
  /** The module whose version it has, where its own main function is in this repository. */
  versionOf?: string;
  /** Variables of its sources that its version is put into when it is built: it does not know it otherwise. */
  versionVariables?: readonly string[];
  /** Whether one that is on this machine already does instead of the pinned one. */
  fits: (present: Version, pinned: Version) => boolean;
}

const KUBERNETES = {
  module: 'kubernetes',
  versionVariables: ['k8s.io/component-base/version.gitVersion', 'k8s.io/client-go/pkg/version.gitVersion'],
} as const;

export const GO_TOOLS = {
  'kube-apiserver': { ...KUBERNETES, versionArgs: ['--version'], fits: isSameMinor },
  'kube-controller-manager': { ...KUBERNETES, versionArgs: ['--version'], fits: isSameMinor },
  'kube-scheduler': { ...KUBERNETES, versionArgs: ['--version'], fits: isSameMinor },
  'kube-proxy': { ...KUBERNETES, versionArgs: ['--version'], fits: isSameMinor },
  kubelet: { ...KUBERNETES, versionArgs: ['--version'], fits: isSameMinor },
  kubectl: { ...KUBERNETES, versionArgs: ['version', '--client'], fits: isWithinOneMinor },
  helm: {
    module: 'helm',
    versionArgs: ['version', '--template', '{{.Version}}'],
    versionVariables: ['helm.sh/helm/v4/internal/version.version'],
    fits: isSameMinor,
  },
  kubeconform: { module: 'helm', versionArgs: ['-v'], versionVariables: ['main.version'], fits: isSameMinor },
  'helm-unittest': { module: 'helm', fits: isSameMinor },
  coredns: {
    module: 'coredns',
    versionArgs: ['-version'],
    versionOf: 'github.com/coredns/coredns',
    fits: isSameMinor,
  },
  k6: { module: 'k6', versionArgs: ['version'], fits: isSameMinor },
  kwok: { module: 'kwok', versionArgs: ['--version'], fits: isSameMinor },
} as const satisfies Record<string, GoTool>;

export type GoToolName = keyof typeof GO_TOOLS;

/** Returns the package and version, such as `v1.36.3`, that go.mod pins for a program. */
export function pinOf(name: GoToolName): { packagePath: string; version: string } {
  const tool: GoTool = GO_TOOLS[name];
  const { module } = readGoModule(tool.module);
  const packagePath = module.tools[name];
  if (packagePath === undefined) throw new Error(`tools/go/${tool.module}/go.mod has no tool named ${name}`);
  return { packagePath, version: versionOf(module, tool.versionOf ?? packagePath) };
}

/** Returns whether a program with this version can be used. */
export function isFitting(name: GoToolName, present: Version | undefined): boolean {
  const pinned = parseVersion(pinOf(name).version);
  const { fits }: GoTool = GO_TOOLS[name];
  return present !== undefined && pinned !== undefined && fits(present, pinned);
}

/** Returns the linker flags that set the version of programs. */
export function versionFlags(names: readonly GoToolName[]): string[] {
  const flags = names.flatMap((name) => {
    const { versionVariables = [] }: GoTool = GO_TOOLS[name];
    const { version } = pinOf(name);
    return versionVariables.flatMap((variable) => [`-X ${variable}=${version}`, ...kubernetesFlags(variable, version)]);
  });
  return [...new Set(flags)];
}

/** Returns the flags for the separate major and minor version variables of Kubernetes. */
function kubernetesFlags(variable: string, version: string): string[] {
  if (!variable.endsWith('.gitVersion')) return [];
  const path = variable.replace(/\.gitVersion$/, '');
  const [major, minor] = parseVersion(version) ?? [];
  return [`-X ${path}.gitMajor=${major}`, `-X ${path}.gitMinor=${minor}`];
}
