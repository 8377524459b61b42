import { callCases } from "./checkpoint-cases/calls.js";
import {
  type CheckpointScene,
  type SuiteCheckpointStoreOptions,
  freshId,
  later,
} from "./checkpoint-cases/checkpoint-checks.js";
import { concurrencyCases } from "./checkpoint-cases/concurrency.js";
import { copyCases, valueCases } from "./checkpoint-cases/values.js";
import { deletionCases, retentionCases } from "./checkpoint-cases/deletions.js";
import { listCases, scopeCases } from "./checkpoint-cases/lists.js";
import { manySavesCases } from "./checkpoint-cases/many-saves.js";
import { saveCases } from "./checkpoint-cases/saves.js";
import { versionCases } from "./checkpoint-cases/versions.js";
import type { CheckpointStore } from "../checkpoint-store/checkpoint-store.js";
import { type SuiteCase, suiteOf } from "./suite-case.js";

export type { SuiteCheckpointStoreOptions } from "./checkpoint-cases/checkpoint-checks.js";

/** A checkpoint store for one case of the suite. */
export interface CreatedCheckpointStore {
  readonly store: CheckpointStore;
  /** Called at the end of the case, whether it passed or not. The suite may have called `end` of the store before. */
  close?(): Promise<void>;
}

/**
 * Opens a checkpoint store for one case. Its `setup` has been called. It need not be empty: each case uses ids of its own, so that
 * all cases may share a database.
 */
export type CreateCheckpointStore = (options: SuiteCheckpointStoreOptions) => Promise<CreatedCheckpointStore>;

/**
 * Returns a conformance suite for checkpoint stores: what `CheckpointStore` promises about values, order, scopes, replacement, retention,
 * versions and concurrent calls. It uses only the public methods, so that it checks any backend in any test runner.
 *
 * @param create - Opens a store for each case.
 * @returns The cases, which share nothing. Each fails by an `AssertionError` that says what the store returned.
 *
 * @example
 * ```ts
 * import { test } from "node:test";
 * import { MemoryCheckpointStore } from "langgraph-checkpoint-kysely/checkpoint-store";
 * import { checkpointStoreSuite } from "langgraph-checkpoint-kysely/conformance";
 *
 * const cases = checkpointStoreSuite(async (options) => ({ store: new MemoryCheckpointStore(options) }));
 * for (const { name, run } of cases) test(name, run);
 * ```
 */
export function checkpointStoreSuite(create: CreateCheckpointStore): readonly SuiteCase[] {
  const cases = {
    ...saveCases,
    ...manySavesCases,
    ...valueCases,
    ...copyCases,
    ...scopeCases,
    ...listCases,
    ...deletionCases,
    ...retentionCases,
    ...versionCases,
    ...concurrencyCases,
    ...callCases,
  };
  return suiteOf(cases, create, sceneOf);
}

function sceneOf({ store }: CreatedCheckpointStore): CheckpointScene {
  const [executionId, threadId] = [freshId("exec"), freshId("thread")];
  const checkpoint: CheckpointScene["checkpoint"] = (fields) => ({
    id: freshId("checkpoint"),
    nodeName: "node",
    state: { n: 1 },
    metadata: { execution_id: executionId, thread_id: threadId },
    timestamp: later(0),
    version: 1,
    ...fields,
  });
  const sequence = (length: number) =>
    Array.from({ length }, (_, n) => checkpoint({ state: { n }, timestamp: later(n) }));
  return { store, executionId, threadId, checkpoint, sequence };
}
