import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import { expandTypes } from './core-types.ts';

const CORE = '@svc-asr/core';
const CORE_TYPES = 'core-types';

/** Modules that browsers can load without a bundler. */
const BROWSER_ENTRIES = ['browser', 'microphone', 'microphone-worklet'] as const;

/** A file of the package by its path. */
export type PackageFiles = Map<string, string>;

/** Fields of package.json that the published package has. */
interface Manifest {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  [field: string]: unknown;
}

/**
 * Builds the files of the client package. They include the code of `@svc-asr/core`, because `@svc-asr/core` is not
 * published. Requires the built `dist` folders.
 */
export async function buildClientPackage(root: string): Promise<PackageFiles> {
  const folder = join(root, 'packages/client');
  const files: PackageFiles = new Map([
    ['package.json', manifestOf(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest)],
    ['README.md', readFileSync(join(folder, 'README.md'), 'utf8')],
    ['LICENSE', readFileSync(join(root, 'LICENSE'), 'utf8')],
    ['dist/index.js', await bundle(root, { entry: 'index.ts', isForBrowsers: false })],
  ]);
  for (const name of BROWSER_ENTRIES) {
    files.set(`dist/${name}.js`, await bundle(root, { entry: `${name}.ts`, isForBrowsers: true }));
  }
  for (const [name, text] of declarationsOf(join(folder, 'dist'), join(root, 'packages/core/dist/index.d.ts'))) {
    files.set(`dist/${name}`, text);
  }
  return files;
}

/** Replaces the modules that only Node needs. Browsers have their own WebSocket and report no cause of a failure. */
const WITHOUT_WS: Plugin = {
  name: 'without ws',
  setup: (bundler) => {
    const replace = (filter: RegExp, contents: string) =>
      bundler.onLoad({ filter }, () => ({ contents, loader: 'ts' }));
    replace(/stream\/handshake\.ts$/, 'export const watchHandshake = () => false;');
    replace(/src\/unknown-ca\.ts$/, 'export const describeUnknownCa = () => undefined;');
    // Only `ws` reports the pings whose absence this module detects.
    replace(/stream\/silence\.ts$/, 'export const watchSilence = () => undefined;');
    replace(/stream\/socket\.ts$/, 'export const findWebSocket = async () => globalThis.WebSocket;');
  },
};

interface Bundle {
  entry: 'index.ts' | `${(typeof BROWSER_ENTRIES)[number]}.ts`;
  /** Minifies the bundle and leaves out the package `ws`. */
  isForBrowsers: boolean;
}

/** Bundles the client into one module. */
export async function bundle(root: string, { entry, isForBrowsers }: Bundle): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`packages/client/src/${entry}`],
    bundle: true,
    write: false,
    minify: isForBrowsers,
    plugins: isForBrowsers ? [WITHOUT_WS] : [],
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    external: ['ws'],
    tsconfig: join(root, 'tsconfig.check.json'),
    legalComments: 'none',
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

function manifestOf({ name, version, ...rest }: Manifest): string {
  const { [CORE]: _core, ...dependencies } = rest.dependencies;
  const { private: _private, exports: _exports, ...kept } = rest;
  const manifest = {
    name,
    version,
    ...kept,
    files: ['dist'],
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './browser': { types: './dist/browser.d.ts', default: './dist/browser.js' },
      './microphone': { types: './dist/microphone.d.ts', default: './dist/microphone.js' },
      './microphone-worklet.js': './dist/microphone-worklet.js',
    },
    dependencies,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Returns the declaration files that the entry points need, and one with the types of core. */
function declarationsOf(folder: string, coreEntry: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
  const files = new Map<string, string>();
  const coreNames = new Set<string>();
  const visit = (name: string): void => {
    if (files.has(name) || !names.includes(name)) return;
    const text = readFileSync(join(folder, name), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
    for (const [, list = ''] of text.matchAll(/\{([^{}]*)\} from '@svc-asr\/core'/g)) {
      for (const item of list.split(',')) if (item.trim() !== '') coreNames.add(item.trim());
    }
    const core = relative(dirname(name), CORE_TYPES);
    files.set(
      name,
      text
        .replaceAll(`'${CORE}'`, `'${core.startsWith('.') ? core : `./${core}`}.js'`)
        .replaceAll(/from '(\.{1,2}\/[^']+)\.ts'/g, "from '$1.js'"),
    );
    for (const [, path = ''] of text.matchAll(/from '(\.{1,2}\/[^']+)\.ts'/g)) {
      visit(join(dirname(name), `${path}.d.ts`));
    }
  };
  visit('index.d.ts');
  visit('browser.d.ts');
  visit('microphone.d.ts');
  files.set(`${CORE_TYPES}.d.ts`, expandTypes(coreEntry, [...coreNames].sort()));
  return files;
}
