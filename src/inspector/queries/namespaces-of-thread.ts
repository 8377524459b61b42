import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { timeInHeader } from "./header-time.js";

/** A namespace of a thread with its newest checkpoint. */
interface NamespaceOfThreadRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly checkpoints: number;
  /** The number of namespaces of the thread. */
  readonly namespaces: number;
  /** The time in the header of the newest checkpoint; `null` when the id contains a time. */
  readonly ts: string | null;
}

interface NamespaceParams {
  readonly threadId: string;
  readonly limit: number;
}

/** Lists the namespaces of a thread: the root graph, then those with the latest checkpoints. It reads all index entries of the thread. */
export function listNamespacesOfThread(
  call: CallContext,
  params: NamespaceParams,
): Promise<NamespaceOfThreadRow[]> {
  return runStatement(call, namespaces, params);
}

const namespaces = new Statement<NamespaceParams, NamespaceOfThreadRow>((db, parameter) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("checkpoints as each")
        .where("each.thread_id", "=", parameter("threadId"))
        .groupBy("each.checkpoint_ns")
        .select("each.checkpoint_ns")
        .select([
          sql<string>`max(each.checkpoint_id collate "C")`.as("checkpoint_id"),
          sql<number>`count(*)::float8`.as("checkpoints"),
          sql<number>`(count(*) over ())::float8`.as("namespaces"),
        ])
        .orderBy(isRoot("each.checkpoint_ns"), "desc")
        .orderBy(sql`max(each.checkpoint_id collate "C")`, "desc")
        .limit(parameter("limit"))
        .as("own"),
    )
    .innerJoin("checkpoints as head", (join) =>
      join
        .on("head.thread_id", "=", parameter("threadId"))
        .onRef("head.checkpoint_ns", "=", "own.checkpoint_ns")
        .onRef("head.checkpoint_id", "=", "own.checkpoint_id"),
    )
    .select(["own.checkpoint_ns", "own.checkpoint_id", "own.checkpoints", "own.namespaces"])
    .select((eb) => timeInHeader(eb.ref("head.checkpoint_id"), eb.ref("head.checkpoint")).as("ts"))
    .orderBy(isRoot("own.checkpoint_ns"), "desc")
    .orderBy(sql`own.checkpoint_ns collate "C"`),
);

function isRoot(namespace: string) {
  return sql<boolean>`${sql.ref(namespace)} = ''`;
}
