const { createRequire, registerHooks } = require('node:module');
const { pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');

/** @type {boolean} */
let isMapping = false;

/**
 * Lets imports follow `moduleNameMapper` of the configuration. The mapping stays for the life of the process.
 * @param {readonly (readonly [pattern: string, target: string])[]} moduleNameMapper
 */
function mapNames(moduleNameMapper) {
  if (isMapping) return;
  isMapping = true;
  const mappings = moduleNameMapper.map(([pattern, target]) => ({ pattern: new RegExp(pattern), target }));
  registerHooks({
    resolve: (specifier, context, next) => {
      const mapping = mappings.find(({ pattern }) => pattern.test(specifier));
      if (mapping === undefined) return next(specifier, context);
      return next(pathToFileURL(specifier.replace(mapping.pattern, mapping.target)).href, context);
    },
  });
}

/**
 * Loads test files with Node instead of jest's own module system. Node loads a module once for all test files of a
 * jest worker. jest would load it again for each file, which takes longer than most tests.
 */
module.exports = class NativeRuntime extends Runtime {
  /** @param {ConstructorParameters<typeof Runtime>} args */
  constructor(...args) {
    super(...args);
    mapNames(/** @type {[string, string][]} */ (args[0].moduleNameMapper));
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /**
   * @override
   * @param {string} path
   */
  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  /**
   * Returns a new instance of a module of jest for each test file, because such a module stores the tests of one file.
   * @override
   * @param {string} path
   */
  requireInternalModule(path) {
    const load = createRequire(path);
    delete load.cache[path];
    return load(path);
  }
};
