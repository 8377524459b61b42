/**
 * What `@jest/globals` exports. A module that several test files import is evaluated once, so that each function here calls
 * that of the test file that runs.
 */
const TEST_GLOBALS = Symbol.for("checkpoint-tests.globals");

function ofRunningFile(name) {
  return new Proxy(function () {}, {
    apply: (_target, self, args) => Reflect.apply(globalThis[TEST_GLOBALS][name], self, args),
    get: (_target, key) => globalThis[TEST_GLOBALS][name][key],
  });
}

export const afterAll = ofRunningFile("afterAll");
export const afterEach = ofRunningFile("afterEach");
export const beforeAll = ofRunningFile("beforeAll");
export const beforeEach = ofRunningFile("beforeEach");
export const describe = ofRunningFile("describe");
export const it = ofRunningFile("it");
export const test = ofRunningFile("test");
export const { expect } = globalThis[TEST_GLOBALS];
export const jest = ofRunningFile("jest");
