import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';

/**
 * Packages of hundreds of modules each. jest compiles every module again for each test file, which takes several times
 * as long as one large module. Each bundle exports what our code imports from the package, by import path.
 *
 * @type {Record<string, { format: 'esm' | 'cjs', exports: Record<string, string[]> }>}
 */
const PACKAGES = {
  typebox: {
    format: 'esm',
    exports: { typebox: ['*', '{ default }'], 'typebox/compile': ['*'], 'typebox/value': ['*'] },
  },
  redis: { format: 'cjs', exports: { redis: ['*'] } },
  '@kubernetes/client-node': {
    format: 'cjs',
    exports: {
      '@kubernetes/client-node': ['{ CoreV1Api, KubeConfig, KubernetesObjectApi, makeInformer, NetworkingV1Api }'],
    },
  },
};

/**
 * Bundles the packages, unless bundles of the installed versions exist. Returns entries for `moduleNameMapper`.
 *
 * @param {string} root
 * @returns {Record<string, string>}
 */
export function bundlePackages(root) {
  /** @type {Record<string, string>} */
  const mapper = {};
  for (const [name, { format, exports }] of Object.entries(PACKAGES)) {
    const key = createHash('sha256')
      .update(JSON.stringify([versionOf(root, name), format, exports]))
      .digest('hex');
    const folder = join(root, 'node_modules/.cache/test-bundles', `${name.replace('/', '-')}-${key.slice(0, 16)}`);
    const extension = format === 'esm' ? 'mjs' : 'cjs';
    const entries = Object.entries(exports).map(([path, names]) => ({ path, names, file: path.replaceAll('/', '-') }));
    for (const { path, file } of entries) mapper[`^${path}$`] = join(folder, `${file}.${extension}`);
    if (existsSync(folder)) continue;
    mkdirSync(dirname(folder), { recursive: true });
    const temporary = mkdtempSync(join(root, 'node_modules/.cache/test-bundles-'));
    for (const { path, names, file } of entries) {
      writeFileSync(join(temporary, `${file}.js`), names.map((name) => `export ${name} from '${path}';\n`).join(''));
    }
    buildSync({
      entryPoints: entries.map(({ file }) => ({ in: join(temporary, `${file}.js`), out: file })),
      outdir: temporary,
      outExtension: { '.js': `.${extension}` },
      format,
      splitting: format === 'esm',
      bundle: true,
      minifyWhitespace: true,
      platform: 'node',
    });
    moveFolder(temporary, folder);
  }
  return mapper;
}

/**
 * Moves a folder, unless another process did so first.
 *
 * @param {string} from
 * @param {string} to
 */
function moveFolder(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    rmSync(from, { recursive: true });
    if (!existsSync(to)) throw error;
  }
}

/**
 * @param {string} root
 * @param {string} name
 * @returns {string}
 */
function versionOf(root, name) {
  const manifest = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  return manifest.version;
}
