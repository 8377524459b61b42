/**
 * The exports of `@jest/globals`. A module that several test files import is evaluated once, and finds here the
 * functions of the file that runs.
 */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

/** Sets the functions of the test file that is loaded next. */
export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
