import { TENANT_TABLES } from "../db/row-security.js";
import { checkHealth } from "../health/check-health.js";
import type { Health } from "../health/health.js";
import { CHECKPOINT_SET } from "../migrations/sets.js";
import { parseCallOptions } from "../parsing/parse-call-options.js";
import { countingRefusal } from "../saver/call/run-call.js";
import type { SaverCall } from "../saver/call/saver-call.js";

/** The tables that every `put` and `putWrites` needs. */
const STORED_TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"];

/** Checks whether checkpoints can be stored now. It never rejects. */
export function saverHealth(call: SaverCall, options: unknown): Promise<Health> {
  const { keepTombstones, keepsNewest } = call.policy;
  // Deleting threads needs more.
  const rights = ["select", "insert", "update", ...(keepsNewest === true ? ["delete"] : [])];
  const tables = keepTombstones === true ? TENANT_TABLES : STORED_TABLES;
  const privileges = tables.flatMap((table) => rights.map((right) => `${right} on ${table}`));
  const requirements = { stored: "checkpoints", sets: [CHECKPOINT_SET], tables: TENANT_TABLES, privileges };
  return checkHealth(call, requirements, () =>
    countingRefusal(call, "health", () => parseCallOptions(options)),
  );
}
