/**
 * Runs the files that mostly wait one after another in a worker of their own, beside as many workers as there are cores. So the cores
 * are busy, and no more workers than needed load and compile what the tests import.
 */
const { default: TestRunner } = require("jest-runner");
const testsOf = require("./tests-of.cjs");

/**
 * Files whose worker does little for a long time: they wait for timeouts, timers, servers, or other processes that they start, which takes
 * a small worker a tenth of the time. They start in this order: the first one also loads what they share, and the longest ones run when
 * the gate has ended most of what it runs beside the tests.
 */
const WAITING = [
  "clients/clients",
  "cli/interrupted",
  "cli/program",
  "demo/demo",
  "package/copies",
  "package/clock-behind",
  "poolers/pgbouncer",
  "replicas/faults",
  "watch/watch-on-server",
  "cache/conformance",
  "inspector/events",
  "db/terminated-at-connect",
  "doctor/health",
  "chaos/silent",
  "saver/late",
  "saver/statement-timeout",
  "passwords/passed-in-kysely",
  "archive/killed-by-thread",
  "saver/not-replicated",
  "archive/killed-by-run",
  "chaos/chaos",
];

class WaitingInOwnWorker extends TestRunner {
  #waiting;

  constructor(config, context) {
    super(config, context);
    this.#waiting = new TestRunner({ ...config, maxWorkers: 1 }, context);
  }

  on(event, listener) {
    const unsubscribes = [super.on(event, listener), this.#waiting.on(event, listener)];
    return () => unsubscribes.forEach((unsubscribe) => unsubscribe());
  }

  async runTests(tests, watcher, options) {
    const waiting = testsOf(WAITING, tests);
    const others = tests.filter((test) => !waiting.includes(test));
    if (options.serial || waiting.length === 0 || others.length === 0)
      return super.runTests(tests, watcher, options);
    await Promise.all([
      super.runTests(others, watcher, options),
      this.#waiting.runTests(waiting, watcher, options),
    ]);
  }
}

module.exports = WaitingInOwnWorker;
