import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../serde/json/json-text.js";
import { isSameRecord, type StoredRecord } from "../model/stored-record.js";

/**
 * Whether two records of different backends store the same. Their texts may differ: JSONB sorts the keys of objects, and prints numbers in
 * its own way.
 */
export function isSameContent(one: StoredRecord, other: StoredRecord): boolean {
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
