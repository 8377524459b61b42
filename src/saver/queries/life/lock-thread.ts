import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../../db/statement.js";

/**
 * Locks all rows of a thread until the transaction ends: nobody deletes one of them before. It takes the locks in the order
 * checkpoints, writes, blobs, as every writer does.
 */
export function lockThread(schema: string, threadId: string): BoundStatement<unknown>[] {
  return [lockCheckpoints, lockWrites, lockBlobs].map((statement) => statement.bind(schema, { threadId }));
}

interface LockParams {
  readonly threadId: string;
}

const COUNT = /* @__PURE__ */ sql<string>`count(*)`.as("locked");

const lockCheckpoints = /* @__PURE__ */ new Statement<LockParams, unknown>((db, parameter) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("checkpoints")
        .select("type")
        .where("thread_id", "=", parameter("threadId"))
        .forKeyShare()
        .as("row"),
    )
    .select(COUNT),
);

const lockWrites = /* @__PURE__ */ new Statement<LockParams, unknown>((db, parameter) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("checkpoint_writes")
        .select("type")
        .where("thread_id", "=", parameter("threadId"))
        .forKeyShare()
        .as("row"),
    )
    .select(COUNT),
);

const lockBlobs = /* @__PURE__ */ new Statement<LockParams, unknown>((db, parameter) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("checkpoint_blobs")
        .select("type")
        .where("thread_id", "=", parameter("threadId"))
        .forKeyShare()
        .as("row"),
    )
    .select(COUNT),
);
