import { isUnreadable, type UnreadableError } from "../errors/index.js";
import type { ReadRecord, RecordRange, StoredRecord } from "./model/stored-record.js";
import { CheckpointSchemaError } from "../errors/checkpoint-store-errors.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { decodeRecord, type RecordDecoder } from "./checkpoint-codec.js";
import type {
  CheckpointProblem,
  VerifyCheckpointsOptions,
  VerifyCheckpointsReport,
} from "./checkpoint-store.js";

/** Which records of a scope a caller wants. */
export interface WantedRecords extends RecordRange {
  /** Whether to leave out those that can't be read, and to go on to the next ones. */
  readonly skipDamaged: boolean;
}

/** Where the records come from. */
interface RecordSource<Checkpoint> {
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

/** Decodes every record, and returns those that can't be read. */
export async function verifyRecords(
  pages: AsyncIterable<readonly ReadRecord[]>,
  decoder: RecordDecoder,
  { signal, onProgress }: VerifyCheckpointsOptions,
): Promise<VerifyCheckpointsReport> {
  let checkpoints = 0;
  const problems: CheckpointProblem[] = [];
  for await (const page of pages) {
    const found = await Promise.all(page.map((record) => problemOf(record, decoder)));
    problems.push(...found.filter((problem) => problem !== undefined));
    checkpoints += page.length;
    onProgress?.({ checkpoints, problems: problems.length });
    throwIfAborted(signal);
  }
  return { checkpoints, problems };
}

async function problemOf(record: ReadRecord, decoder: RecordDecoder): Promise<CheckpointProblem | undefined> {
  if (record instanceof Error) return describe(record);
  try {
    await decodeRecord(decoder, record);
    return undefined;
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { ...describe(error), version: record.version };
  }
}

type ProblemError = UnreadableError | CheckpointSchemaError;

function isProblem(error: unknown): error is ProblemError {
  return isUnreadable(error) || error instanceof CheckpointSchemaError;
}

function describe({ checkpointId = "", code, message }: ProblemError): CheckpointProblem {
  return { checkpointId, code, message };
}
