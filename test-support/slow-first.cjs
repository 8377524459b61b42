/**
 * Starts the slowest files first, so that at the end no worker waits for another, and spreads those that only wait among the
 * others. Jest itself orders new files by size.
 */
const { default: Sequencer } = require("@jest/test-sequencer");

/** Files that take nearly as long as a file may. They start when the gate has ended what it runs beside the tests. */
const LATE = [
  "package/documents.test",
  "archive/killed-by-run",
  "interop/interop",
  "archive/killed-by-thread",
  "chaos/chaos",
  "saver/not-replicated-calls",
];

/** Files that do little for a long time: they wait for timeouts, servers or the interval of a timer. */
const WAITING = [
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
  "db/pglite-folder",
  "store/random-model",
  "package/declarations",
  "model",
  "conformance",
  "interop",
  "checkpoint-store/conformance",
  "cli/examples",
  "chaos/sabotage",
  "bench/memory",
  "demo/demo",
  "package/documents-with-pglite",
];

/** While one worker waits, the others have the cores for this number of files, which takes them about as long. */
const BUSY_BESIDE_WAITING = 6;

class SlowFirst extends Sequencer {
  sort(tests) {
    let others = super.sort(tests);
    const take = (parts) => {
      const taken = parts.flatMap((part) => others.filter(({ path }) => path.includes(`/tests/${part}`)));
      others = others.filter((test) => !taken.includes(test));
      return [...new Set(taken)];
    };
    const [late, waiting, slow] = [take(LATE), take(WAITING), take(SLOW)];
    const mixed = [...slow, ...others].flatMap((test, index) =>
      index % BUSY_BESIDE_WAITING === 0 ? [...waiting.splice(0, 1), test] : [test],
    );
    const sorted = [...mixed, ...waiting];
    // The first half of the files takes three quarters of the time.
    const middle = Math.floor(sorted.length / 2);
    return [...sorted.slice(0, middle), ...late, ...sorted.slice(middle)];
  }
}

module.exports = SlowFirst;
