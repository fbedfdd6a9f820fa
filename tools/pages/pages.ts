import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { InlineConfig } from 'vite';
import { root } from '../launch/terminal.mjs';

/** Sources of the pages. Each folder with an `index.html` is an entry page. */
export const WEB_FOLDER = join(root, 'console/web');

/** Files that the bundles depend on. The pages import the client, for example for the playground. */
const SOURCES = [
  'console/web/**/*.{ts,tsx,css,html,svg,js}',
  'packages/{client,core}/src/**/*.ts',
  'tools/pages/*.ts',
  'package-lock.json',
];
/** File with the hash of the sources of the last build. */
const RECORD = '.sources';

/**
 * Builds every entry page into a folder of `dist`, unless the sources are those of the last build. Each page has its
 * own bundle, because each port of the console serves only its own page.
 */
export async function buildPages(folder: string): Promise<void> {
  const output = join(folder, 'dist');
  const record = join(output, RECORD);
  const sources = hashOf(SOURCES);
  if (existsSync(record) && readFileSync(record, 'utf8') === sources) return;
  // Another build may run at the same time, so each one writes to its own folder first.
  const temporary = join(root, `node_modules/.cache/pages-${process.pid}`);
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  try {
    const { build } = await import('vite');
    for (const page of pagesOf(folder)) {
      await build(configOf(join(folder, page), join(temporary, page)));
      compress(join(temporary, page));
    }
    writeFileSync(join(temporary, RECORD), sources);
    rmSync(output, { recursive: true, force: true });
    renameSync(temporary, output);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Returns the names of the entry pages. */
function pagesOf(folder: string): string[] {
  return globSync('*/index.html', { cwd: folder, exclude: ['dist/**'] })
    .map((file) => dirname(file))
    .sort();
}

function configOf(page: string, output: string): InlineConfig {
  return {
    configFile: false,
    root: page,
    base: '/',
    publicDir: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    resolve: {
      alias: [
        { find: /^@svc-asr\/core\/(\w+)$/, replacement: join(root, 'packages/core/src/$1/index.ts') },
        {
          find: /^@svc-asr\/client\/microphone-worklet\.js/,
          replacement: join(root, 'packages/client/src/microphone-worklet.ts'),
        },
        { find: /^@svc-asr\/client\/(\w+)$/, replacement: join(root, 'packages/client/src/$1.ts') },
        { find: /^@svc-asr\/(core|client)$/, replacement: join(root, 'packages/$1/src/index.ts') },
      ],
    },
    build: {
      outDir: output,
      emptyOutDir: true,
      target: 'es2022',
      // The content security policy allows no data URLs and no inline code.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  };
}

/**
 * Adds a Brotli file next to each text file. The console sends the Brotli file to browsers that accept this encoding.
 */
function compress(folder: string): void {
  for (const file of globSync('**/*.{html,js,css,svg}', { cwd: folder })) {
    const path = join(folder, file);
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
    writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path), options));
  }
}

/** Returns a hash of the names and contents of files. */
function hashOf(patterns: readonly string[]): string {
  const hash = createHash('sha256');
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['console/web/dist/**'] }));
  for (const file of files.sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}
