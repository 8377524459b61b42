/** Runs test files in the worker's own realm, where Node.js loads modules, and undoes what a file changed there. */
const { ModuleMocker } = require("jest-mock");

class SharedModulesEnvironment {
  global = globalThis;
  fakeTimers = null;
  fakeTimersModern = null;
  moduleMocker = new ModuleMocker(globalThis);
  #env = { ...process.env };
  #exit = process.exit;

  async setup() {
    // Node.js itself maps stack traces to sources.
    Error.prepareStackTrace = undefined;
    process.setSourceMapsEnabled(true);
  }

  async teardown() {
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
  }

  exportConditions() {
    return ["node", "node-addons"];
  }

  getVmContext() {
    return null;
  }
}

module.exports = SharedModulesEnvironment;
