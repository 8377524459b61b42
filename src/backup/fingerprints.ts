import type { CallContext } from "../db/call-context.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { BoundStatement } from "../db/statements/statement.js";
import type { BackupChain } from "./boundary/parse-backup.js";
import { chainOf, checkLink } from "./chained-backup.js";
import { digestBlobs, digestCheckpoints, digestWrites } from "./queries/digest-rows.js";
import { RowDigests } from "./row-digests.js";

/** The threads of backups that continue each other, as the last of them left them. */
export interface EarlierThreads {
  /** One digest of all rows of each thread that has rows. */
  readonly fingerprints: ReadonlyMap<string, string>;
  /** The checksum of the last backup. */
  readonly sha256: string;
}

/**
 * Reads backups for what an increment compares: of each thread a digest, and of one thread at a time its keys.
 *
 * @throws BackupError where one is damaged, or does not continue the one before it.
 */
export async function readFingerprints(
  backups: BackupChain,
  signal: AbortSignal | undefined,
): Promise<EarlierThreads> {
  const fingerprints = new Map<string, string>();
  let sha256 = "";
  for (const backup of chainOf(backups)) {
    let rows = new RowDigests();
    for await (const { row } of backup.rows()) {
      throwIfAborted(signal);
      rows.add(row);
      if (!("thread" in row)) continue;
      const fingerprint = rows.fingerprint();
      if (fingerprint === undefined) fingerprints.delete(row.thread);
      else fingerprints.set(row.thread, fingerprint);
      rows = new RowDigests();
    }
    checkLink(backup, sha256);
    ({ sha256 } = backup);
  }
  return { fingerprints, sha256 };
}

/** Returns the digest of a thread as it is stored now. The server reads and hashes its values; only their hashes are sent. */
export async function storedFingerprint(call: CallContext, threadId: string): Promise<string | undefined> {
  const { schema } = call;
  const rows = new RowDigests();
  for (const row of await read(call, digestCheckpoints(schema, { threadId }))) {
    rows.addStored({ table: "checkpoints", ...row });
  }
  for (const row of await read(call, digestWrites(schema, { threadId }))) {
    rows.addStored({ table: "checkpoint_writes", ...row });
  }
  for (const row of await read(call, digestBlobs(schema, { threadId }))) {
    rows.addStored({ table: "checkpoint_blobs", ...row });
  }
  return rows.fingerprint();
}

async function read<Row>(call: CallContext, statement: BoundStatement<Row>): Promise<Row[]> {
  const [rows = []] = await runTransaction(call, { statements: [statement] });
  return rows;
}
