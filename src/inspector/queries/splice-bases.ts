import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";

/** A splice, and the version that it refers to. */
export interface SpliceRow {
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
  readonly base: string;
}

interface ThreadParams {
  readonly threadId: string;
}

/** Selects the splices of a thread in any order. It reads no value. */
export function spliceBases(call: CallContext, threadId: string): Promise<SpliceRow[]> {
  return runStatement(call, splices, { threadId });
}

const splices = /* @__PURE__ */ new Statement<ThreadParams, SpliceRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_blobs")
    .where("thread_id", "=", parameter("threadId"))
    .where("base", "is not", null)
    .select(["checkpoint_ns", "channel", "version", sql<string>`base`.as("base")]),
);
