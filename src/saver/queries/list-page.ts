import { type Expression, type QueryCreator, type Selectable, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";
import { isListed, type ListConditions, type ListParams } from "./list-scope.js";
import { withNamespaces } from "./newest-of-thread.js";
import { isOneThread } from "./thread-groups.js";

type Db = QueryCreator<CheckpointDatabase>;

/** The key of a checkpoint. */
export interface KeyRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
}

const KEY = ["thread_id", "checkpoint_ns", "checkpoint_id"] as const satisfies (keyof KeyRow)[];

/**
 * Up to this number of namespaces, the newest checkpoints of each are looked up, and merged. One lookup costs as much as reading some dozen
 * entries of the index in a row.
 */
const MAX_LOOKS = 32;

/** Selects the checkpoints of a page, the newest first. */
export function selectPage(
  db: Db,
  parameter: Parameter<ListParams>,
  conditions: ListConditions,
): Expression<Selectable<CheckpointDatabase["checkpoints"]>> {
  if (!spansNamespaces(conditions)) return listed(db, parameter, conditions).selectAll("checkpoints");
  const threadId = parameter("threadId");
  return db
    .selectFrom(merged(db, parameter, conditions).as("key"))
    .innerJoinLateral(
      (key) =>
        key
          .selectFrom("checkpoints as stored")
          .selectAll("stored")
          .where("stored.thread_id", "=", threadId)
          .whereRef("stored.checkpoint_ns", "=", "key.checkpoint_ns")
          .whereRef("stored.checkpoint_id", "=", "key.checkpoint_id")
          .limit(sql.lit(1))
          .as("matching"),
      (join) => join.onTrue(),
    )
    .selectAll("matching");
}

/** Selects the keys of the checkpoints of a page, the newest first. */
export function selectKeys(db: Db, parameter: Parameter<ListParams>, conditions: ListConditions) {
  return spansNamespaces(conditions)
    ? merged(db, parameter, conditions)
    : listed(db, parameter, conditions).select(KEY);
}

/** Whether the primary key has the checkpoints in another order than the list: by namespace before by id. */
function spansNamespaces({ narrowed }: ListConditions): boolean {
  return (
    narrowed.includes("threadId") && !narrowed.includes("checkpointNs") && !narrowed.includes("checkpointId")
  );
}

/**
 * Merges the namespaces of a thread. Of few, it reads as many checkpoints of each as the page may have, from the end of its index entries.
 * Of many, it reads the entries of the whole thread, but no row that is not on the page.
 */
function merged(db: Db, parameter: Parameter<ListParams>, conditions: ListConditions) {
  return withNamespaces(db, parameter("threadId"), MAX_LOOKS)
    .selectFrom((eb) => {
      const looked = eb.selectFrom("namespace").select(sql<number>`count(*)`.as("count"));
      return eb
        .selectFrom("namespace")
        .innerJoinLateral(
          () =>
            listed(db, parameter, conditions)
              .where("checkpoints.checkpoint_ns", "=", sql.ref<string>("namespace.checkpoint_ns"))
              .select(KEY)
              .as("newest"),
          (join) => join.onTrue(),
        )
        .where(looked, "<", sql.lit(MAX_LOOKS))
        .select(["newest.thread_id", "newest.checkpoint_ns", "newest.checkpoint_id"])
        .unionAll(
          eb
            .selectFrom(whole(db, parameter, conditions).as("whole"))
            .where(looked, ">=", sql.lit(MAX_LOOKS))
            .selectAll("whole"),
        )
        .as("own");
    })
    .select(["own.thread_id", "own.checkpoint_ns", "own.checkpoint_id"])
    .orderBy(sql`own.checkpoint_id collate "C"`, "desc")
    .orderBy(sql`own.checkpoint_ns collate "C"`, "desc")
    .limit(parameter("pageSize"));
}

/** The keys of all checkpoints of a thread that are listed, in any order. */
function whole(db: Db, parameter: Parameter<ListParams>, conditions: ListConditions) {
  return db
    .selectFrom("checkpoints")
    .where((eb) => isListed(eb, conditions, parameter))
    .where((eb) => isOneThread(eb.ref("checkpoints.thread_id"), parameter("threadId")))
    .select(KEY);
}

function listed(db: Db, parameter: Parameter<ListParams>, conditions: ListConditions) {
  return db
    .selectFrom("checkpoints")
    .where((eb) => isListed(eb, conditions, parameter))
    .orderBy(sql`checkpoint_id collate "C"`, "desc")
    .orderBy(sql`thread_id collate "C"`, "desc")
    .orderBy(sql`checkpoint_ns collate "C"`, "desc")
    .limit(parameter("pageSize"));
}
