/**
 * Returns the test files whose path in `tests/` begins with one of `parts`, each once, in the order of the parts.
 *
 * @param {readonly string[]} parts - Such as `saver/late`.
 * @param {readonly import("jest-runner").Test[]} tests
 */
module.exports = function testsOf(parts, tests) {
  return [...new Set(parts.flatMap((part) => tests.filter(({ path }) => path.includes(`/tests/${part}`))))];
};
