import type { ReadName, WriteName } from "../api/inspector-api.js";
import type { ReadDefinitions, WriteDefinitions } from "./call-definition.js";
import { overviewCalls } from "./overview.js";
import { threadCalls } from "./thread.js";
import { threadsCalls } from "./threads.js";

/** Every call that reads. */
export const readCalls: Partial<ReadDefinitions<ReadName>> = {
  ...overviewCalls,
  ...threadsCalls,
  ...threadCalls,
};

/** Every call that changes threads. */
export const writeCalls: Partial<WriteDefinitions<WriteName>> = {};
