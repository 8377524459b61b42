import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type Parameter, Statement } from "../../db/statements/statement.js";
import type { BlobsKey } from "../../saver/queries/lock-blobs.js";
import type { CheckpointsKey } from "./deleted-checkpoints.js";
import { givenList, givenWrites, GIVEN_NS, perNamespaceWith } from "./per-namespace.js";

/** The transaction before which a settled row was stored. */
interface SettledParams {
  readonly transaction: string;
}

/** Of the given values, those that were stored before the transaction, in threads that have a checkpoint. */
export const selectSettledBlobs = perNamespaceWith<
  BlobsKey,
  SettledParams,
  { channel: string; version: string }
>(
  { channels: ({ channels }) => channels, versions: ({ versions }) => versions },
  ({ db, given, threadId, parameter }) =>
    given
      .innerJoinLateral(
        sql<{
          channel: string;
          version: string;
        }>`unnest(${givenList("channels")}, ${givenList("versions")})`.as<"named">(
          sql`named(channel, version)`,
        ),
        (join) => join.onTrue(),
      )
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoint_blobs as stored")
            .select("stored.type")
            .where("stored.thread_id", "=", threadId)
            .where("stored.checkpoint_ns", "=", GIVEN_NS)
            .whereRef("stored.channel", "=", "named.channel")
            .whereRef("stored.version", "=", "named.version")
            .where(wasStoredBefore("stored", parameter))
            // Makes Postgres look up each value by the index, whatever the statistics say.
            .limit(sql.lit(1))
            .as("settled"),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "named.channel", "named.version"])
      .where((eb) => eb.exists(checkpointOfThread(db, threadId))),
);

/** Of the given checkpoints, which have no row, those whose writes were all stored before the transaction, in threads that have a checkpoint. */
export const selectSettledWrites = perNamespaceWith<CheckpointsKey, SettledParams, { checkpoint_id: string }>(
  { ids: ({ checkpointIds }) => checkpointIds },
  ({ db, given, threadId, parameter }) =>
    given
      .innerJoinLateral(
        sql<{ checkpoint_id: string }>`unnest(${givenList("ids")})`.as<"named">(sql`named(checkpoint_id)`),
        (join) => join.onTrue(),
      )
      .innerJoinLateral(
        givenWrites(db, threadId)
          .select(sql<boolean>`bool_and(${wasStoredBefore("write", parameter)})`.as("is_settled"))
          .where("write.checkpoint_id", "=", sql.ref<string>("named.checkpoint_id"))
          .as("written"),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "named.checkpoint_id"])
      .where("written.is_settled", "=", sql.lit(true))
      .where((eb) => eb.exists(checkpointOfThread(db, threadId))),
);

/** A row that is so old that its age can't be told any more counts as young. */
function wasStoredBefore(row: "stored" | "write", parameter: Parameter<SettledParams>): RawBuilder<SqlBool> {
  return sql<SqlBool>`age(${sql.ref(`${row}.xmin`)}) > age(${parameter("transaction")}::xid8::xid)`;
}

function checkpointOfThread(db: QueryCreator<CheckpointDatabase>, threadId: RawBuilder<string>) {
  return db.selectFrom("checkpoints").select("type").where("thread_id", "=", threadId).limit(sql.lit(1));
}

/** A moment in the life of a server. */
interface ServerMoment {
  /** Changes when the server is started again, replaced or restored. */
  readonly server: string;
  /** The oldest transaction that had not ended. All before it had. */
  readonly transaction: string;
}

/** Tells which server answers, and how far it is. */
export const oldestTransaction = new Statement<object, ServerMoment>((db) =>
  db.selectNoFrom([
    sql<string>`pg_postmaster_start_time()::text`.as("server"),
    sql<string>`pg_snapshot_xmin(pg_current_snapshot())::text`.as("transaction"),
  ]),
);
