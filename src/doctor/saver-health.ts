import { raceAgainst, withinTime } from "../db/async/within-time.js";
import type { ReplicaState } from "../db/replica/replica.js";
import { TENANT_TABLES } from "../db/tenant.js";
import { checkHealth } from "../health/check-health.js";
import type { Health } from "../health/health.js";
import { CHECKPOINT_SET } from "../migrations/sets.js";
import { parseSignal } from "../parsing/parse-call-options.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { saverOperations } from "../saver/call/saver-operations.js";

/** The tables that every `put` and `putWrites` needs. */
const STORED_TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"];

/** How long the check of a replica may take, in milliseconds. */
const REPLICA_BOUND_MS = 2_000;

/** Checks whether checkpoints can be stored now. It never rejects. */
export async function saverHealth(call: SaverCall, options: unknown): Promise<Health> {
  const [health, replica] = await Promise.all([storingHealth(call, options), replicaState(call, options)]);
  return replica === undefined ? health : { ...health, replica };
}

/** Returns `undefined` where the saver has no replica, or the time is over before the servers have answered. */
async function replicaState({ replica }: SaverCall, options: unknown): Promise<ReplicaState | undefined> {
  if (replica === undefined) return undefined;
  try {
    const limit = { signal: parseSignal(options), limitMs: REPLICA_BOUND_MS };
    return await withinTime(limit, (signal) =>
      raceAgainst(
        signal,
        replica.checked().then((checked) => checked.check()),
      ),
    );
  } catch {
    return undefined;
  }
}

function storingHealth(call: SaverCall, options: unknown): Promise<Health> {
  const { keepTombstones, keepLast } = call.policy;
  // Deleting threads needs more.
  const rights = ["select", "insert", "update", ...(keepLast !== undefined ? ["delete"] : [])];
  const tables = keepTombstones === true ? TENANT_TABLES : STORED_TABLES;
  const privileges = tables.flatMap((table) => rights.map((right) => `${right} on ${table}`));
  const requirements = {
    operation: saverOperations.health,
    stored: "checkpoints",
    sets: [CHECKPOINT_SET],
    tables: TENANT_TABLES,
    privileges,
  };
  return checkHealth(call, requirements, options);
}
