import { isUnreadable, type UnreadableError } from "../errors/index.js";
import type { ReadRecord, RecordRange, StoredRecord } from "./model/stored-record.js";

/** Which records of a scope a caller wants. */
export interface WantedRecords extends RecordRange {
  /** Whether to leave out those that can't be read, and to go on to the next ones. */
  readonly skipDamaged: boolean;
}

/** Where the records come from. */
export interface RecordSource<Checkpoint> {
  readonly list: (range: RecordRange) => Promise<readonly ReadRecord[]>;
  readonly decode: (record: StoredRecord) => Promise<Checkpoint>;
}

/**
 * Lists and decodes records. It asks for more where damaged ones leave fewer than the caller wants.
 *
 * @returns The checkpoints, and why others were left out.
 * @throws DeserializationError, CorruptCheckpointError for the first damaged one, unless those are to be left out.
 */
export async function readable<Checkpoint>(
  { limit, order, skipDamaged }: WantedRecords,
  { list, decode }: RecordSource<Checkpoint>,
): Promise<{ found: Checkpoint[]; damaged: UnreadableError[] }> {
  for (let asked = limit; ;) {
    const records = await list({ limit: asked, order });
    const read = await Promise.all(records.map((record) => decoded(record, decode)));
    const damaged = read.flatMap((each) => ("damage" in each ? each.damage : []));
    const [first] = damaged;
    if (first !== undefined && !skipDamaged) throw first;
    const found = read.flatMap((each) => ("checkpoint" in each ? [each.checkpoint] : []));
    if (damaged.length === 0 || limit === undefined || asked === undefined) return { found, damaged };
    if (found.length >= limit || records.length < asked) return { found: found.slice(0, limit), damaged };
    asked *= 2;
  }
}

/** Decodes a record, or returns why it can't be read. */
async function decoded<Checkpoint>(
  record: ReadRecord,
  decode: (record: StoredRecord) => Promise<Checkpoint>,
): Promise<{ readonly checkpoint: Checkpoint } | { readonly damage: UnreadableError }> {
  if (record instanceof Error) return { damage: record };
  try {
    return { checkpoint: await decode(record) };
  } catch (error) {
    if (isUnreadable(error)) return { damage: error };
    throw error;
  }
}
