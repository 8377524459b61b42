import { type SelectQueryBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, type Parameter, Statement } from "../../db/statements/statement.js";
import type { ChannelKey } from "./select-versions.js";

/** Values of a channel. */
export interface ValuesKey extends ChannelKey {
  /** The order in which the values are locked. */
  readonly versions: readonly string[];
}

/** A value that is locked. */
export interface LockedValue {
  readonly version: string;
}

/** Locks values that are to be replaced. Others can neither change nor delete them, and may still refer to them. */
export function lockReplaced(schema: string, key: ValuesKey): BoundStatement<LockedValue> {
  return replaced.bind(schema, key);
}

/** Locks values that new splices refer to, so that nobody deletes them before the splices are committed (C13). */
export function lockBases(schema: string, key: ValuesKey): BoundStatement<LockedValue> {
  return bases.bind(schema, key);
}

const replaced = /* @__PURE__ */ lockStatement((rows) => rows.forNoKeyUpdate());
const bases = /* @__PURE__ */ lockStatement((rows) => rows.forKeyShare());

type StoredValues = SelectQueryBuilder<
  CheckpointDatabase & { stored: CheckpointDatabase["checkpoint_blobs"] },
  "stored",
  LockedValue
>;

function lockStatement(lock: (rows: StoredValues) => StoredValues): Statement<ValuesKey, LockedValue> {
  return new Statement((db, parameter: Parameter<ValuesKey>) =>
    db
      .selectFrom(sql<LockedValue>`unnest(${parameter("versions")}::text[])`.as<"named">(sql`named(version)`))
      .innerJoinLateral(
        () =>
          lock(
            db
              .selectFrom("checkpoint_blobs as stored")
              .select("stored.version")
              .where("stored.thread_id", "=", parameter("threadId"))
              .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
              .where("stored.channel", "=", parameter("channel"))
              .where("stored.version", "=", sql.ref<string>("named.version"))
              .limit(sql.lit(1)),
          ).as("locked"),
        (join) => join.onTrue(),
      )
      .select("locked.version"),
  );
}
