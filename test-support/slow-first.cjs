/**
 * Starts the slowest files first, so that at the end no worker waits for another, and spreads those that only wait among the
 * others. Jest itself orders new files by size.
 */
const { default: Sequencer } = require("@jest/test-sequencer");

/** Files that do little for a long time: they wait for timeouts, servers or the interval of a timer. */
const WAITING = [
  "archive/killed",
  "cache/conformance",
  "chaos/silent",
  "doctor/health",
  "inspector/events",
  "passwords/passed-in-kysely",
  "replicas/faults",
  "saver/late",
  "saver/not-replicated",
  "saver/statement-timeout",
  "watch/watch-on-server",
];

/** Files that take longer than others of their size, in the order of their start: those that start many processes are apart. */
const SLOW = [
  "package/documents.test",
  "model",
  "conformance",
  "interop",
  "db/pglite-folder",
  "checkpoint-store/conformance",
  "chaos/chaos",
  "cli/examples",
  "store/random-model",
  "chaos/sabotage",
  "bench/memory",
  "demo/demo",
  "package/documents-with-pglite",
  "package/declarations",
];

/** While one worker waits, the others have the cores for this number of files, which takes them about as long. */
const BUSY_BESIDE_WAITING = 6;

class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const testsOf = (part) => sorted.filter(({ path }) => path.includes(`/tests/${part}`));
    const waiting = WAITING.flatMap(testsOf);
    const slow = SLOW.flatMap(testsOf).filter((test) => !waiting.includes(test));
    const others = sorted.filter((test) => !waiting.includes(test) && !slow.includes(test));
    const mixed = [...slow, ...others].flatMap((test, index) =>
      index % BUSY_BESIDE_WAITING === 0 ? [...waiting.splice(0, 1), test] : [test],
    );
    return [...mixed, ...waiting];
  }
}

module.exports = SlowFirst;
