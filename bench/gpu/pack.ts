/**
 * `node bench/gpu/pack.ts FOLDER WHEEL` copies everything that `bench gpu` needs into a new folder, for a machine
 * without a network. It copies sources, builds, packages, models, Node, k6 and Redis. WHEEL is the wheel file of the
 * Python package onnxruntime-gpu, which contains the CUDA provider. The machine without a network must have the same
 * platform as this one.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findK6 } from '../../loadtest/runner/k6.ts';
import { REDIS } from '../../tools/install/programs.ts';
import { ensureInstalled, findOnPath } from '../../tools/install/system-package.ts';
import { root, runTask, userPath } from '../../tools/launch/terminal.mjs';

interface Entry {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
type Packages = Readonly<Record<string, Entry | undefined>>;

const SOURCES = ['bench', 'gateway', 'loadtest', 'packages', 'test/support', 'tools', 'training', 'worker'];
/** Workspaces that the benchmark starts, and packages that its own files import. */
const ROOTS = [
  'gateway',
  'node_modules/@svc-asr/worker',
  'node_modules/@peculiar/x509',
  'node_modules/reflect-metadata',
];
const PROVIDERS = ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so'];
/**
 * Libraries that every Linux system has. They are not copied, because they would not match the loader of another
 * machine.
 */
const SYSTEM_LIBRARY = /\/(ld-linux|libc|libm|libstdc\+\+|libgcc_s|libpthread|libdl|librt)[-.]/;
const START = `#!/bin/sh
# Runs "bench gpu" from this folder. Paths in options must be absolute.
cd "$(dirname "$0")" || exit 1
export PATH="$PWD/bin:$PATH" K6="\${K6:-$PWD/bin/k6}"
exec node tools/tasks/bench.ts gpu "$@"
`;

await runTask(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [folder, wheel] = positionals.map(userPath);
  if (folder === undefined || wheel === undefined) throw new Error('usage: node bench/gpu/pack.ts FOLDER WHEEL');
  if (existsSync(folder)) throw new Error(`${folder} exists. Name a new folder`);
  if (!existsSync(wheel))
    throw new Error(`${wheel} is missing. Download it with "pip download --no-deps onnxruntime-gpu"`);
  copySources(folder);
  copyPackages(folder, wheel);
  await copyPrograms(folder);
  writeFileSync(join(folder, 'bench-gpu'), START, { mode: 0o755 });
  return 0;
});

/** Runs a program and returns the lines of its output. */
function list(program: string, args: readonly string[]): string[] {
  const output = execFileSync(program, args, { cwd: root, encoding: 'utf8' });
  return output.split('\n').filter((line) => line !== '');
}

/** Copies a file or folder to the same relative path in the bundle. Links between workspaces stay relative. */
function copy(folder: string, path: string, filter: (source: string) => boolean = () => true): void {
  cpSync(join(root, path), join(folder, path), { recursive: true, verbatimSymlinks: true, filter });
}

function copySources(folder: string): void {
  const tests = [':!*.test.ts', ':!worker/test'];
  for (const path of list('git', ['ls-files', '-co', '--exclude-standard', '--', 'package.json', ...SOURCES, ...tests]))
    copy(folder, path);
  for (const path of list('git', [
    'ls-files',
    '--',
    'gateway/package.json',
    'worker/package.json',
    'packages/*/package.json',
  ])) {
    const dist = join(dirname(path), 'dist');
    if (!existsSync(join(root, dist))) throw new Error(`${dist} is missing. Run "npm run build" first`);
    copy(folder, dist, (source) => !source.endsWith('.map'));
  }
}

/**
 * Copies the packages that the services need, and the CUDA provider. Skips the native files of onnxruntime-node for
 * other platforms.
 */
function copyPackages(folder: string, wheel: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Packages };
  const native = `onnxruntime-node/bin/napi-v6/${process.platform}/${process.arch}`;
  const isForeign = (source: string): boolean =>
    /onnxruntime-node\/bin\/napi-v6\/.+\/.+/.test(source) && !source.includes(native);
  for (const path of dependenciesOf(packages, ROOTS)) {
    if (path.includes('node_modules/') && existsSync(join(root, path)))
      copy(folder, path, (source) => !isForeign(source));
  }
  const libraries = join(folder, 'node_modules', native);
  for (const name of PROVIDERS) {
    const bytes = execFileSync('unzip', ['-p', wheel, `onnxruntime/capi/${name}`], { maxBuffer: 2 ** 31 });
    writeFileSync(join(libraries, name), bytes, { mode: 0o755 });
  }
}

/** Returns the lockfile paths of the packages `roots` and of all packages that they depend on. */
function dependenciesOf(packages: Packages, roots: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    const entry = packages[path];
    if (entry === undefined || found.has(path)) return;
    found.add(path);
    if (entry.link === true) visit(entry.resolved ?? '');
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      visit(resolvePackage(packages, path, name));
    }
  };
  for (const path of roots) visit(path);
  return found;
}

/**
 * Returns the path of the package `name`, which the package at the path `from` imports. The path is in the
 * `node_modules` of the importing package, or of a folder above.
 */
function resolvePackage(packages: Packages, from: string, name: string): string {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const path = base === '' ? `node_modules/${name}` : `${base}/node_modules/${name}`;
    if (base === '' || packages[path] !== undefined) return path;
  }
}

/** Copies Node, k6 and Redis. The libraries of Redis are in a folder of their own, which no other program uses. */
async function copyPrograms(folder: string): Promise<void> {
  mkdirSync(join(folder, 'bin/redis'), { recursive: true });
  copyFileSync(process.execPath, join(folder, 'bin/node'));
  copyFileSync(await findK6(process.env.K6 ?? ''), join(folder, 'bin/k6'));
  await ensureInstalled(REDIS);
  const redis = findOnPath('redis-server') ?? findOnPath('valkey-server') ?? '';
  const libraries = list('ldd', [redis]).map((line) => /=> (\/\S+)/.exec(line)?.[1] ?? '');
  for (const path of [redis, ...libraries.filter((one) => one !== '' && !SYSTEM_LIBRARY.test(one))]) {
    copyFileSync(path, join(folder, 'bin/redis', basename(path)));
  }
  const start = `#!/bin/sh\nhere=$(dirname "$0")/redis\nLD_LIBRARY_PATH="$here" exec "$here/${basename(redis)}" "$@"\n`;
  writeFileSync(join(folder, 'bin', basename(redis)), start);
  for (const name of ['node', 'k6', basename(redis)]) chmodSync(join(folder, 'bin', name), 0o755);
}
