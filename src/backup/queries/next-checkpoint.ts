import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { PageCursor } from "./get-backup-page.js";

interface KeyRow {
  checkpoint_id: string;
  checkpoint_ns: string;
}

/** The key of the checkpoint that a page begins with, without reading its header. */
export async function nextCheckpoint(
  call: CallContext,
  threadId: string,
  after: PageCursor | undefined,
): Promise<PageCursor | undefined> {
  const [row] = await runStatement(call, next.of(after === undefined ? "first" : "next"), {
    threadId,
    afterId: after?.checkpointId ?? "",
    afterNs: after?.checkpointNs ?? "",
  });
  return row && { checkpointId: row.checkpoint_id, checkpointNs: row.checkpoint_ns };
}

interface NextParams {
  readonly threadId: string;
  readonly afterId: string;
  readonly afterNs: string;
}

const next = /* @__PURE__ */ new StatementFamily<"first" | "next", NextParams, KeyRow>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("checkpoints")
      .select(["checkpoint_id", "checkpoint_ns"])
      .where("thread_id", "=", parameter("threadId"))
      .$if(shape === "next", (query) =>
        query.where(
          sql<boolean>`(checkpoint_id collate "C", checkpoint_ns collate "C") < (${parameter("afterId")}, ${parameter("afterNs")})`,
        ),
      )
      .orderBy(sql`checkpoint_id collate "C" desc, checkpoint_ns collate "C" desc`)
      .limit(sql.lit(1)),
);
