/**
 * Starts slow files first, so that at the end no worker waits for another, and the longest ones when fewer processes share the cores.
 * Jest itself orders new files by size.
 */
const { default: Sequencer } = require("@jest/test-sequencer");
const testsOf = require("./tests-of.cjs");

/** Files that take nearly as long as a file may. They start when the gate has ended most of what it runs beside the tests. */
const LATE = ["cli/examples", "package/documents.test", "interop/interop"];

/** Files that take longer than others of their size, in the order of their start: those that start many processes are apart. */
const SLOW = [
  "store/random-model",
  "package/declarations",
  "bench/memory",
  "model",
  "conformance",
  "interop",
  "db/pglite-folder",
  "checkpoint-store/conformance",
  "chaos/sabotage",
  "package/documents-with-pglite",
  "places/bundled",
];

/** The number of files between two of {@link LATE}. They are short, and take another worker about as long as one of those. */
const SHORT_BESIDE_LATE = 14;

class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const late = testsOf(LATE, sorted);
    const early = [...new Set([...testsOf(SLOW, sorted), ...sorted])].filter((test) => !late.includes(test));
    // A third of the files takes two thirds of the time.
    return spread(late, early, Math.floor(early.length / 3), SHORT_BESIDE_LATE);
  }
}

/** Puts one test before each `distance` others, from the index `start` on, and the rest at the end. */
function spread(tests, others, start, distance) {
  const rest = [...tests];
  const mixed = others.flatMap((other, index) =>
    index >= start && (index - start) % distance === 0 ? [...rest.splice(0, 1), other] : [other],
  );
  return [...mixed, ...rest];
}

module.exports = SlowFirst;
