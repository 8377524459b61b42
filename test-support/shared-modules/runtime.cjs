/**
 * Loads test files with Node.js itself, instead of Jest's own module registry. The files of a worker share what they
 * import, so LangChain, Kysely and PGlite are loaded once per worker instead of once per file.
 *
 * Jest's `runtime` option names this class. `jest-circus` and `jest-runner` call its public methods.
 */
const { createRequire, register, registerHooks } = require("node:module");
const { pathToFileURL } = require("node:url");
const { setFlagsFromString } = require("node:v8");

const EVENT_HANDLERS = Symbol.for("EVENT_HANDLERS");
const TEST_TIMEOUT = Symbol.for("TEST_TIMEOUT_SYMBOL");

const IS_NODE_24_OR_LATER = Number.parseInt(process.versions.node) >= 24;

// Now and then V8 aborts a worker while it frees compiled code of PGlite (nodejs/node#64500). It need not free any.
setFlagsFromString("--no-wasm-code-gc");

// V8 marks the whole heap whenever memory outside of it grew by some megabytes, and each PGlite has dozens. Since Node.js 24
// it can weigh both together.
if (IS_NODE_24_OR_LATER) {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
  setFlagsFromString("--heap-growing-percent=400");
}

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

  /** @param {string} query - Tells one copy of the file from another. */
  async unstable_importModule(path, query = "") {
    loaders ??= this.registerLoaders();
    await loaders;
    const { setGlobals } = await import("./globals.js");
    setGlobals(this.#globals);
    return import(`${pathToFileURL(path).href}${query}`);
  }

  /** Registers what loads TypeScript, and the functions of the running test file for `@jest/globals`. */
  async registerLoaders() {
    const compilers = IS_NODE_24_OR_LATER ? [] : ["./typescript-compiler.js"];
    const built = process.env.TEST_BUILD === undefined ? [] : ["./built-loader.js"];
    for (const loader of ["./typescript-loader.js", ...built, ...compilers, "./globals-loader.js"]) {
      // Node.js 20 runs them in a thread of their own.
      if (registerHooks === undefined) register(loader, pathToFileURL(require.resolve("./runtime.cjs")));
      else registerHooks(await import(loader));
    }
  }

  /** Loads a part of Jest again for each test file, because jest-circus keeps the tests of one file. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[EVENT_HANDLERS];
    delete globalThis[TEST_TIMEOUT];
    const loaded = require(path);
    // Otherwise the tests of every file would stay in memory.
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

module.exports = SharedModulesRuntime;
