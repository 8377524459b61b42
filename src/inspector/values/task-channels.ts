import { ERROR, INTERRUPT, RESUME, SCHEDULED } from "@langchain/langgraph-checkpoint";

/** What `Command` and answers without an id belong to. */
export const NULL_TASK_ID = "00000000-0000-0000-0000-000000000000";

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
