import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../launch/terminal.mjs';

/** What a go.mod file pins. */
export interface GoModule {
  /** The oldest Go that builds it, such as `1.26.0`. */
  goVersion: string;
  /** Packages of its `tool` directives by the name of their program. */
  tools: Readonly<Record<string, string>>;
  /** Versions of the required modules by their path. */
  versions: Readonly<Record<string, string>>;
}

/** Raised when the way in which tools are built changes, so that earlier builds are not taken for them. */
const RECIPE = 1;

/** The folder of a module of tools. */
export function goModuleFolder(name: string): string {
  return join(root, 'tools', 'go', name);
}

/** Reads the parts of a go.mod file that matter for building its tools. */
export function parseGoModule(text: string): GoModule {
  const tools: Record<string, string> = {};
  const versions: Record<string, string> = {};
  let goVersion = '0';
  for (const [directive, first = '', second = ''] of directives(text)) {
    if (directive === 'go') goVersion = first;
    else if (directive === 'tool') tools[basename(first)] = first;
    else if (directive === 'require') versions[first] = second;
  }
  return { goVersion, tools, versions };
}

/** The version of the module that a package belongs to: that of the longest path which the package begins with. */
export function versionOf({ versions }: GoModule, packagePath: string): string {
  const owner = Object.keys(versions)
    .filter((path) => packagePath === path || packagePath.startsWith(`${path}/`))
    .sort((a, b) => b.length - a.length)[0];
  const version = owner === undefined ? undefined : versions[owner];
  if (version === undefined) throw new Error(`go.mod requires no module that holds ${packagePath}: run "go mod tidy"`);
  return version;
}

/** The name under which builds of a module are kept: another one whenever anything that goes into them changes. */
export function buildKey(name: string, parts: readonly string[], platform: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([RECIPE, ...parts]))
    .digest('hex')
    .slice(0, 16);
  return `go-${name}-${platform}-${hash}`;
}

/** Reads a module of tools and the key of its builds for a platform; some have sources of their own. */
export function readGoModule(
  name: string,
  platform = `${process.platform}-${process.arch}`,
): { module: GoModule; key: string } {
  const folder = goModuleFolder(name);
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const goMod = read('go.mod');
  const others = readdirSync(folder).filter((file) => file === 'go.sum' || file.endsWith('.go'));
  const parts = [goMod, ...others.sort().map(read)];
  return { module: parseGoModule(goMod), key: buildKey(name, parts, platform) };
}

/** Directives with their arguments; those in a block of parentheses come one by one. */
function directives(text: string): string[][] {
  let block: string | undefined;
  return text.split('\n').flatMap((line) => {
    const words = line
      .replace(/\/\/.*/, '')
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '');
    if (words[0] === ')') block = undefined;
    else if (words[1] === '(') block = words[0];
    else if (words.length > 0) return [block === undefined ? words : [block, ...words]];
    return [];
  });
}
