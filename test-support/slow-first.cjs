/**
 * Starts slow files first, so that at the end no worker waits for another, spreads those that only wait among the others, and starts the
 * longest ones when fewer processes share the cores. Jest itself orders new files by size.
 */
const { default: Sequencer } = require("@jest/test-sequencer");

/** Files that take nearly as long as a file may. They start when the gate has ended most of what it runs beside the tests. */
const LATE = [
  "archive/killed-by-run",
  "archive/killed-by-thread",
  "cli/examples",
  "package/documents.test",
  "interop/interop",
  "cli/program",
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
  "store/random-model",
  "package/declarations",
  "bench/memory",
  "model",
  "conformance",
  "interop",
  "db/pglite-folder",
  "checkpoint-store/conformance",
  "chaos/sabotage",
  "demo/demo",
  "package/documents-with-pglite",
];

/** While one worker waits, the others have the cores for this number of files, which takes them about as long. */
const BUSY_BESIDE_WAITING = 6;
/** The same for a file of {@link LATE}: the files beside it are short. */
const SHORT_BESIDE_LATE = 14;

class SlowFirst extends Sequencer {
  sort(tests) {
    let others = super.sort(tests);
    const take = (parts) => {
      const taken = parts.flatMap((part) => others.filter(({ path }) => path.includes(`/tests/${part}`)));
      others = others.filter((test) => !taken.includes(test));
      return [...new Set(taken)];
    };
    const [late, waiting, slow] = [take(LATE), take(WAITING), take(SLOW)];
    const early = spread(waiting, [...slow, ...others], 0, BUSY_BESIDE_WAITING);
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
