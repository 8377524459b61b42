import { expect } from "@jest/globals";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import {
  deltaChannelHistoryTests,
  specTest,
  type CheckpointSaverTestInitializer,
} from "@langchain/langgraph-checkpoint-validation";

/**
 * Declares LangGraph's own conformance suite for a saver, with the part about delta channels that `specTest` leaves out.
 *
 * The suite finds `describe`, `it` and `expect` among the globals, and asks for Vitest's `expect.soft`, which goes on
 * after a failure. Here a failure ends the test that it belongs to.
 */
export function runOfficialConformance<Saver extends BaseCheckpointSaver>(
  initializer: CheckpointSaverTestInitializer<Saver>,
): void {
  Object.assign(expect, { soft: expect });
  specTest(initializer);
  deltaChannelHistoryTests(initializer);
}
