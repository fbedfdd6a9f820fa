// Rules for imports, including imports of types. A test in tools/structure checks these rules.

/** Workspaces that each workspace may import. docs/architecture.md has a drawing of these dependencies. */
export const MAY_IMPORT = {
  'packages/core': [],
  'packages/ledger': ['packages/core'],
  'packages/runtime': ['packages/core'],
  'packages/kubernetes': ['packages/runtime'],
  'packages/client': ['packages/core'],
  'packages/decoders': ['packages/core', 'packages/client'],
  'packages/cli': ['packages/core', 'packages/client', 'packages/decoders'],
  'packages/api-docs': ['packages/core'],
  gateway: [
    'packages/client',
    'packages/core',
    'packages/decoders',
    'packages/ledger',
    'packages/runtime',
    'packages/api-docs',
  ],
  operator: ['packages/core', 'packages/ledger', 'packages/runtime', 'packages/kubernetes'],
  worker: ['packages/core', 'packages/ledger', 'packages/runtime'],
  console: ['packages/core', 'packages/ledger', 'packages/runtime', 'packages/kubernetes'],
};

/**
 * Workspace that runs only during the build. The packages that it imports are devDependencies, which images do not
 * contain.
 */
export const BUILD_TIME = 'packages/api-docs';

const WORKSPACES = Object.keys(MAY_IMPORT);
const ANY_WORKSPACE = `^(${WORKSPACES.join('|')})/`;
/** Folder of the web pages. The build bundles them together with the packages that they import. */
const WEB = '^console/web/';
const TEST = '\\.test\\.ts$|/testing/';
const NPM = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-bundled', 'npm-no-pkg', 'npm-unknown', 'unknown'];

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    rule('cycle', 'Files must not import each other in a cycle.', {}, { circular: true }),
    rule('missing-file', 'The file does not exist.', {}, { couldNotResolve: true, path: '^\\.' }),
    ...WORKSPACES.map((workspace) => {
      const others = WORKSPACES.filter((other) => other !== workspace && !MAY_IMPORT[workspace].includes(other));
      const comment = `${workspace} may import ${MAY_IMPORT[workspace].join(', ') || 'no workspace'}.`;
      return rule('direction', comment, { path: `^${workspace}/` }, { path: `^(${others.join('|')})/` });
    }),
    rule(
      'outside',
      'Import another workspace by its package name. Only tests may import files of test/.',
      { path: ANY_WORKSPACE, pathNot: TEST },
      { path: '/', pathNot: ['^$1/', 'node_modules/'], dependencyTypes: ['local'], dependencyTypesNot: ['aliased'] },
    ),
    rule(
      'outside-of-test',
      'Import another workspace by its package name.',
      { path: ANY_WORKSPACE },
      { path: '/', pathNot: ['^$1/', '^test/'], dependencyTypes: ['local'], dependencyTypesNot: ['aliased'] },
    ),
    rule(
      'own-package',
      'Import the file, not the own package by its name.',
      { path: ANY_WORKSPACE },
      { path: '^$1/', dependencyTypes: ['aliased'] },
    ),
    rule(
      'core-io',
      'The core has no input and output.',
      { path: '^packages/core/', pathNot: TEST },
      { dependencyTypes: ['core'] },
    ),
    rule(
      'core-packages',
      'The core depends on typebox only.',
      { path: '^packages/core/', pathNot: TEST },
      { dependencyTypes: NPM, pathNot: '(^|/)typebox(/|$)' },
    ),
    rule(
      'redis',
      'Only the ledger uses Redis, because only it knows the keys.',
      { path: ANY_WORKSPACE, pathNot: ['^packages/ledger/', TEST] },
      { path: '(^|node_modules/)(redis|ioredis|iovalkey|@redis)(/|$)' },
    ),
    rule(
      'undeclared',
      'Add the package to the dependencies in the package.json of the workspace.',
      { path: ANY_WORKSPACE, pathNot: TEST },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    rule(
      'development-package',
      'Images do not contain devDependencies.',
      { path: ANY_WORKSPACE, pathNot: [TEST, `^${BUILD_TIME}/`, WEB] },
      { dependencyTypes: ['npm-dev'] },
    ),
    rule(
      'web',
      'Browsers load these pages. From the console they may import only the types of its responses.',
      { path: WEB },
      { path: '^console/', pathNot: [WEB, '^console/src/responses'] },
    ),
    rule(
      'web-type',
      'The server and its pages share no code, only types.',
      { path: WEB },
      { path: '^console/src/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'console-web',
      'The server reads the built pages as files.',
      { path: '^console/', pathNot: [WEB, TEST] },
      { path: WEB },
    ),
    rule(
      'page',
      'Browsers load only files of the folder of the page.',
      { path: '^(.+/page)/[^/]+\\.js$' },
      { pathNot: '^$1/[^/]+$' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|coverage|results)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.check.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'types', 'default'],
    },
  },
};
