/** Loads test files as `test-support/shared-modules/runtime.cjs` does, but with a new copy of each file of the project in each run. */
const { registerHooks } = require("node:module");
const SharedModulesRuntime = require("../../test-support/shared-modules/runtime.cjs");

class FreshRuntime extends SharedModulesRuntime {
  async unstable_importModule(path) {
    const { run, onLoaded } = globalThis.mutationRun;
    const loaded = await super.unstable_importModule(path, `?run=${run}`);
    onLoaded();
    return loaded;
  }

  async registerLoaders() {
    await super.registerLoaders();
    registerHooks(await import("./fresh-loader.js"));
  }
}

module.exports = FreshRuntime;
