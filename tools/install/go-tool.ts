import { readGoModule, versionOf } from './go-module.ts';
import { isSameMinor, isWithinOneMinor, parseVersion } from './program-version.ts';
import type { Version } from './program-version.ts';

/** A program that is built from a module of tools. */
export interface GoTool {
  /** The folder of its go.mod under tools/go. */
  module: 'kubernetes' | 'kwok';
  /** Arguments that make it tell its version. */
  versionArgs: readonly string[];
  /** Whether one that is on this machine already does instead of the pinned one. */
  fits: (present: Version, pinned: Version) => boolean;
}

export const GO_TOOLS = {
  'kube-apiserver': { module: 'kubernetes', versionArgs: ['--version'], fits: isSameMinor },
  'kube-controller-manager': { module: 'kubernetes', versionArgs: ['--version'], fits: isSameMinor },
  'kube-scheduler': { module: 'kubernetes', versionArgs: ['--version'], fits: isSameMinor },
  kubectl: { module: 'kubernetes', versionArgs: ['version', '--client'], fits: isWithinOneMinor },
  kwok: { module: 'kwok', versionArgs: ['--version'], fits: isSameMinor },
} as const satisfies Record<string, GoTool>;

export type GoToolName = keyof typeof GO_TOOLS;

/** What go.mod says of a program: its package and its version, such as `v1.36.3`. */
export function pinOf(name: GoToolName): { packagePath: string; version: string } {
  const { module } = readGoModule(GO_TOOLS[name].module);
  const packagePath = module.tools[name];
  if (packagePath === undefined) throw new Error(`tools/go/${GO_TOOLS[name].module}/go.mod has no tool named ${name}`);
  return { packagePath, version: versionOf(module, packagePath) };
}

/** Whether a program that says this version of itself can be used. */
export function isFitting(name: GoToolName, present: Version | undefined): boolean {
  const pinned = parseVersion(pinOf(name).version);
  const { fits }: GoTool = GO_TOOLS[name];
  return present !== undefined && pinned !== undefined && fits(present, pinned);
}

/** Linker flags that make the programs of a module say their version: it is not in their sources. */
export function versionFlags(module: GoTool['module'], version: string): string[] {
  if (module !== 'kubernetes') return [];
  const [major, minor] = parseVersion(version) ?? [];
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) => [
    `-X ${path}.gitVersion=${version}`,
    `-X ${path}.gitMajor=${major}`,
    `-X ${path}.gitMinor=${minor}`,
  ]);
}
