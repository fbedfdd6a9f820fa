import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, stop } from 'esbuild';
import type { Plugin } from 'esbuild';
import { PROGRAMS_VARIABLE } from './programs.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'node_modules/.cache/test-programs');
/** Sources of the threads and processes that services start. */
const STARTED = [
  'gateway/src/openai/decode-process.ts',
  'operator/src/workers/process/guard-process.ts',
  'worker/src/engine/thread.ts',
  'worker/src/io/thread.ts',
].filter((entry) => existsSync(join(ROOT, entry)));
const ENTRIES = [
  'gateway/src/main.ts',
  'operator/src/main.ts',
  'console/src/main.ts',
  'worker/src/main.ts',
  // Stub workers import this module.
  'packages/ledger/src/index.ts',
  ...STARTED,
];
/**
 * Code that defines `require` in a bundle. Bundled CommonJS packages call `require`, which an ES module does not have.
 */
const REQUIRE =
  "import { createRequire as createBundleRequire } from 'node:module';\nconst require = createBundleRequire(import.meta.url);";

/**
 * Bundles the sources of each service into one file before the first test file runs. Loading hundreds of files takes
 * most of the start time of a service, and tests start services hundreds of times.
 */
export default async function bundlePrograms(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES.map((entry) => ({ in: entry, out: outputOf(entry) })),
    outdir: FOLDER,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    tsconfig: join(ROOT, 'tsconfig.check.json'),
    // These packages load native libraries by paths relative to their own files, so they are not bundled.
    external: ['onnxruntime-node', 'koffi'],
    banner: { js: REQUIRE },
    // Smaller files load faster. Names are not shortened, so that stack traces stay readable.
    minifyWhitespace: true,
    plugins: [KEEP_PATHS, LAZY_HTTP],
    logLevel: 'error',
  });
  // Otherwise esbuild would keep its memory, hundreds of megabytes, until the last test.
  await stop();
  writeIfChanged(join(FOLDER, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const { path, text } of outputFiles) writeIfChanged(path, text);
  process.env[PROGRAMS_VARIABLE] = FOLDER;
}

/** Returns the path of a bundle in FOLDER, without its extension. The compiled file has the same path in ROOT. */
function outputOf(entry: string): string {
  return entry.replace('/src/', '/dist/').replace(/\.ts$/, '');
}

/**
 * Replaces `import.meta` in a module by the path of its source, so that the module finds the files next to its source.
 * A module that starts a bundled thread or process gets a path in the folder of the bundles.
 */
const KEEP_PATHS: Plugin = {
  name: 'keep-paths',
  setup(bundler) {
    bundler.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!/import\.meta\.(url|dirname)/.test(text)) return undefined;
      const source = relative(ROOT, path);
      const startsBundle = STARTED.some((entry) => entry !== source && dirname(entry) === dirname(source));
      const origin = startsBundle ? join(FOLDER, `${outputOf(source)}.js`) : path;
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(origin).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(origin)));
      return { contents, loader: 'ts' };
    });
  },
};

/**
 * Loads `node:http` by `require`. An import reads every export of the module. One of them is `WebSocket`, which loads
 * the HTTP client of Node.js. That takes about a tenth of the start time of a gateway.
 */
const LAZY_HTTP: Plugin = {
  name: 'lazy-http',
  setup(bundler) {
    bundler.onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'lazy-http' } : undefined,
    );
    bundler.onLoad({ filter: /^/, namespace: 'lazy-http' }, () => ({
      contents: "module.exports = require('node:http');",
    }));
  },
};

/**
 * Writes a file if its content has changed. Replaces the file atomically, because services of another test run may load
 * it at the same time.
 */
function writeIfChanged(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}
