import { CorruptCheckpointError } from "../../errors/index.js";
import { checkSize } from "../codec/encode-execution-checkpoint.js";
import type { BackendCall, CheckpointBackend } from "../model/backend.js";
import { isSameRecord, type SaveRules, type StoredRecord } from "../model/stored-record.js";
import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../serde/json/json-text.js";

/** What became of a record: the target did not have it, had something else, or had it already. */
export type CopyOutcome = "created" | "replaced" | "unchanged";

/** A copy replaces what is stored, and deletes nothing. */
const RULES: SaveRules = { onlyNewer: false, keepLast: undefined };

/**
 * Stores a record unless the target has it, and reads it again.
 *
 * @param dryRun - Only says what would become of it.
 * @throws CheckpointTooLargeError for a record that the target can't hold.
 * @throws CorruptCheckpointError where the target returns another record than was stored.
 */
export async function copyRecord(
  record: StoredRecord,
  target: CheckpointBackend,
  dryRun: boolean,
  call: BackendCall,
): Promise<CopyOutcome> {
  const { id, state, metadata } = record;
  checkSize({ maxCheckpointBytes: Infinity, maxTextBytes: target.maxTextBytes }, id, state, metadata);
  const stored = await target.load(id, call);
  if (stored !== undefined && isSameContent(record, stored)) return "unchanged";
  if (!dryRun) {
    await target.save(record, RULES, call);
    const copied = await target.load(id, call);
    if (copied === undefined || !isSameContent(record, copied)) {
      throw new CorruptCheckpointError("the target does not return what was stored", { checkpointId: id });
    }
  }
  return stored === undefined ? "created" : "replaced";
}

/**
 * Whether two records of different backends store the same. Their texts may differ: JSONB sorts the keys of objects, and prints numbers in
 * its own way.
 */
function isSameContent(one: StoredRecord, other: StoredRecord): boolean {
  const { state, metadata } = one;
  return (
    isSameRecord(one, { ...other, state, metadata }) &&
    isSameJson(state, other.state) &&
    isSameJson(metadata, other.metadata)
  );
}

/** A missing text is the same as `null`, which Go stores for missing metadata. */
function isSameJson(one = "null", other = "null"): boolean {
  return one === other || isDeepStrictEqual(parseJson(one, "jsonb"), parseJson(other, "jsonb"));
}
