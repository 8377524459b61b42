import { CheckpointSchemaError } from "../errors/checkpoint-store-errors.js";
import { isUnreadable, type UnreadableError } from "../errors/index.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { decodeRecord, type RecordDecoder } from "./codec/decode-record.js";
import type { ReadRecord } from "./model/stored-record.js";
import type {
  CheckpointProblem,
  VerifyCheckpointsOptions,
  VerifyCheckpointsReport,
} from "./model/verify-types.js";

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
