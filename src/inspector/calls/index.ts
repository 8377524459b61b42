import type { ReadName, WriteName } from "../api/inspector-api.js";
import type { ReadDefinitions, WriteDefinitions } from "./call-definition.js";
import { cacheCalls, cacheChanges } from "./cache-calls.js";
import { changesCalls, checkCalls } from "./changes-calls.js";
import { checkpointsCalls } from "./checkpoint-calls.js";
import { healthCalls } from "./health-calls.js";
import { memoryCalls, memoryChanges } from "./memory-calls.js";
import { overviewCalls } from "./overview-calls.js";
import { storyCalls, threadCalls } from "./thread-calls.js";
import { storageCalls } from "./storage-calls.js";
import { threadsCalls } from "./threads-calls.js";
import { valuesCalls } from "./values-calls.js";

/** Every call that reads. */
export const readCalls: ReadDefinitions<ReadName> = {
  ...cacheCalls,
  ...checkCalls,
  ...checkpointsCalls,
  ...healthCalls,
  ...memoryCalls,
  ...overviewCalls,
  ...storageCalls,
  ...storyCalls,
  ...threadCalls,
  ...threadsCalls,
  ...valuesCalls,
};

/**
 * The reads that may be stale: they list or measure many rows. An inspector that can't change threads sends them to the replica of its
 * saver. What a thread's page shows is live, so it is read where the events come from. A replica does not have the table of a cache.
 */
export const staleCalls: ReadonlySet<string> = new Set<ReadName>([
  "threads",
  "threadCounts",
  "metadataSuggestions",
  "threadSizes",
  "lastMessages",
  "tables",
  "storage",
  "stepBytes",
  "chains",
]);

/** Every call that changes something. */
export const writeCalls: WriteDefinitions<WriteName> = { ...cacheChanges, ...changesCalls, ...memoryChanges };
