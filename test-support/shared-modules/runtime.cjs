/**
 * Loads test files by Node itself, in place of Jest's own registry of modules: the files that a worker runs share what they
 * import, so that LangChain, Kysely and PGlite are loaded once per worker instead of once per file.
 *
 * Jest's `runtime` option names this class. `jest-circus` and `jest-runner` call what is public here.
 */
const { createRequire, register } = require("node:module");
const { pathToFileURL } = require("node:url");

const EVENT_HANDLERS = Symbol.for("EVENT_HANDLERS");
const TEST_TIMEOUT = Symbol.for("TEST_TIMEOUT_SYMBOL");

let loaders;

class SharedModulesRuntime {
  #environment;
  #globals;

  constructor(_config, environment) {
    this.#environment = environment;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    loaders ??= registerLoaders();
    await loaders;
    const { setGlobals } = await import("./globals.js");
    setGlobals(this.#globals);
    return import(pathToFileURL(path).href);
  }

  /** Loads a part of Jest, anew for each test file: jest-circus keeps the tests of one file. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[EVENT_HANDLERS];
    delete globalThis[TEST_TIMEOUT];
    const loaded = require(path);
    // Else the tests of every file would stay in memory.
    module.children.splice(0);
    return loaded;
  }

  requireModule(path) {
    return createRequire(path)(path);
  }

  setGlobalsForRuntime(globals) {
    const { moduleMocker } = this.#environment;
    const jest = {
      fn: moduleMocker.fn.bind(moduleMocker),
      spyOn: moduleMocker.spyOn.bind(moduleMocker),
      restoreAllMocks: () => moduleMocker.restoreAllMocks(),
      setTimeout: (timeoutMs) => {
        globalThis[TEST_TIMEOUT] = timeoutMs;
      },
    };
    this.#globals = { ...globals, jest };
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return {};
  }

  resetModules() {}

  clearAllMocks() {
    this.#environment.moduleMocker.clearAllMocks();
  }

  resetAllMocks() {
    this.#environment.moduleMocker.resetAllMocks();
  }

  restoreAllMocks() {
    this.#environment.moduleMocker.restoreAllMocks();
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {
    this.restoreAllMocks();
  }
}

/** TypeScript by tsx, and `@jest/globals` by the functions of the test file that runs. */
async function registerLoaders() {
  const tsx = await import("tsx/esm/api");
  tsx.register();
  register("./globals-loader.js", pathToFileURL(require.resolve("./runtime.cjs")));
}

module.exports = SharedModulesRuntime;
