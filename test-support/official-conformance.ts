import { expect } from "@jest/globals";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import {
  deltaChannelHistoryTests,
  specTest,
  type CheckpointSaverTestInitializer,
} from "@langchain/langgraph-checkpoint-validation";

/**
 * Declares LangGraph's own conformance suite for a saver, with the part about delta channels that `specTest` leaves
 * out.
 *
 * The suite expects `describe`, `it` and `expect` among the globals, and uses Vitest's `expect.soft`, which continues
 * after a failure. Here a failure ends its test.
 */
export function runOfficialConformance<Saver extends BaseCheckpointSaver>(
  initializer: CheckpointSaverTestInitializer<Saver>,
): void {
  Object.assign(expect, { soft: expect });
  specTest(initializer);
  deltaChannelHistoryTests(initializer);
}
