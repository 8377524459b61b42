/**
 * Starts the slowest files first, so that at the end no worker waits for another. Jest itself orders new files by
 * size.
 */
const { default: Sequencer } = require("@jest/test-sequencer");

/** Files that start servers, or wait for timeouts or a second language. */
const SLOW = [
  "archive/killed",
  "saver/late",
  "saver/not-replicated",
  "interop",
  "chaos",
  "passwords",
  "conformance",
  "cli/examples",
  "saver/statement-timeout",
  "model",
];

class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isSlow = ({ path }) => SLOW.some((part) => path.includes(`/tests/${part}`));
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}

module.exports = SlowFirst;
