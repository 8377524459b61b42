import { ERROR, INTERRUPT, RESUME, SCHEDULED } from "@langchain/langgraph-checkpoint";

/** The channels of writes that say what happened to a task. All others are its output, `__no_writes__` among them. */
export const CONTROL_CHANNELS: readonly string[] = [
  ERROR,
  "__error_source_node__",
  INTERRUPT,
  RESUME,
  SCHEDULED,
];

/** The channels of writes by which a task says that it waits, or why it failed. */
export const OPEN_CHANNELS: readonly string[] = [ERROR, INTERRUPT];
