import { afterEach, describe } from "@jest/globals";
import {
  type BackendCheckpointStore,
  type CheckpointStoreOptions,
  MemoryCheckpointStore,
} from "../../src/checkpoint-store/index.js";

/** The stores of a suite. All of them use the same database, except those in memory. */
export interface BackendSuite {
  readonly name: string;
  /** Opens a store whose table exists. It is closed at the end of the test. */
  open(options?: CheckpointStoreOptions): BackendCheckpointStore;
}

type Body = (suite: BackendSuite) => void;

/** Every backend that the suites run on. */
const BACKENDS: readonly ((name: string, body: Body) => void)[] = [
  (name, body) => {
    describe(`${name} (memory)`, () => {
      body(closing("memory", (options) => new MemoryCheckpointStore(options)));
    });
  },
];

/**
 * Runs a suite on every backend of checkpoint stores. Backends that this machine lacks are skipped; in CI they fail.
 *
 * @example
 * ```ts
 * describeEachBackend("save", (suite) => {
 *   it("stores a checkpoint", async () => {
 *     const store = suite.open();
 *   });
 * });
 * ```
 */
export function describeEachBackend(name: string, body: Body): void {
  for (const describeBackend of BACKENDS) describeBackend(name, body);
}

function closing(name: string, open: BackendSuite["open"]): BackendSuite {
  const opened: BackendCheckpointStore[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.end()));
  });
  return {
    name,
    open: (options) => {
      const store = open(options);
      opened.push(store);
      return store;
    },
  };
}
