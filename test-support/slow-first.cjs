/**
 * Starts the slowest files first, so that at the end no worker waits for another. Jest itself orders new files by
 * size.
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

/** Files that take longer than others of their size. */
const SLOW = [
  "bench/memory",
  "chaos/chaos",
  "chaos/sabotage",
  "checkpoint-store/conformance",
  "cli/examples",
  "conformance",
  "demo/demo",
  "interop",
  "model",
  "package/declarations",
  "store/random-model",
];

/** While one worker waits, the others have the cores for this number of files, which takes them about as long. */
const BUSY_BESIDE_WAITING = 6;

class SlowFirst extends Sequencer {
  sort(tests) {
    const isOneOf = (parts) => (test) => parts.some((part) => test.path.includes(`/tests/${part}`));
    const sorted = super.sort(tests);
    const waiting = sorted.filter(isOneOf(WAITING));
    const busy = sorted.filter((test) => !waiting.includes(test));
    const slow = busy.filter(isOneOf(SLOW));
    const ordered = [...slow, ...busy.filter((test) => !slow.includes(test))];
    const mixed = ordered.flatMap((test, index) =>
      index % BUSY_BESIDE_WAITING === 0 ? [...waiting.splice(0, 1), test] : [test],
    );
    return [...mixed, ...waiting];
  }
}

module.exports = SlowFirst;
