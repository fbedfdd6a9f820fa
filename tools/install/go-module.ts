import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../launch/terminal.mjs';

/** Contents of a go.mod file. It is parsed without Go, because machines without Go use programs from the cache. */
export interface GoModule {
  /** Packages in the `tool` directives, by the name of their program. */
  tools: Readonly<Record<string, string>>;
  /** Versions of the required modules by their path. */
  versions: Readonly<Record<string, string>>;
}

/** Part of every cache key. Increase it when programs are built in another way. */
const RECIPE = 1;

/** Returns the folder of a module of tools. */
export function goModuleFolder(name: string): string {
  return join(root, 'tools', 'go', name);
}

/** Parses the directives of a go.mod file that pin tools. */
export function parseGoModule(text: string): GoModule {
  const tools: Record<string, string> = {};
  const versions: Record<string, string> = {};
  let block: string | undefined;
  for (const line of text.split('\n')) {
    const words = line.replace(/\/\/.*/, '').match(/\S+/g) ?? [];
    if (words[0] === ')') block = undefined;
    else if (words[1] === '(') block = words[0];
    else {
      const [directive, path = '', version = ''] = block === undefined ? words : [block, ...words];
      if (directive === 'tool') tools[basename(path)] = path;
      else if (directive === 'require') versions[path] = version;
    }
  }
  return { tools, versions };
}

/** Returns the version of the module with the longest path that contains a package, or undefined if none does. */
export function versionOf({ versions }: GoModule, packagePath: string): string | undefined {
  const paths = Object.keys(versions).filter((path) => `${packagePath}/`.startsWith(`${path}/`));
  const [owner = ''] = paths.sort((a, b) => b.length - a.length);
  return versions[owner];
}

/** Returns the name of the cache folder for builds from these sources. */
export function buildKey(name: string, sources: readonly string[], platform: string): string {
  const hash = createHash('sha256').update(JSON.stringify([RECIPE, ...sources]));
  return `go-${name}-${platform}-${hash.digest('hex').slice(0, 16)}`;
}

/** Reads a module of tools, and returns the cache key of its builds for a platform such as `linux-arm64`. */
export function readGoModule(
  name: string,
  platform = `${process.platform}-${process.arch}`,
): { module: GoModule; key: string } {
  const folder = goModuleFolder(name);
  const files = readdirSync(folder).filter((file) => file === 'go.sum' || file.endsWith('.go'));
  const sources = ['go.mod', ...files.sort()].map((file) => readFileSync(join(folder, file), 'utf8'));
  return { module: parseGoModule(sources[0] ?? ''), key: buildKey(name, sources, platform) };
}
