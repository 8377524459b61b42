/** Starts first what takes longest, so that no worker waits for another in the end. Jest alone goes by the size of a file. */
const { default: Sequencer } = require("@jest/test-sequencer");

/** They start servers and processes, install packages, or wait for a second language. */
const SLOW = ["interop", "chaos", "demo", "package", "cli/examples", "conformance", "official", "model"];

class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isSlow = ({ path }) => SLOW.some((part) => path.includes(`/tests/${part}`));
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}

module.exports = SlowFirst;
