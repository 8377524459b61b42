import { sql, type SqlBool } from "kysely";
import { addedColumns, wholeBytesIn } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { givenThread } from "../../retention/queries/given-namespaces.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import type { CheckpointPlace } from "../api/places.js";
import {
  givenCheckpoints,
  type GivenParams,
  type PositionRow,
  readGiven,
  runGiven,
} from "./given-checkpoints.js";

/** The sizes of the values of a checkpoint. */
export interface StateSizesRow extends PositionRow {
  readonly checkpoint_id: string;
  /** `[channel, bytes]` as JSON text. A value in the header, or none, has no bytes. */
  readonly sizes_json: string;
}

/** Stands for the newest checkpoint of a namespace. */
export const NEWEST = "";

/**
 * Measures the values of checkpoints without reading them, in one statement. Where statements name their thread, it sends one for each
 * (N1). A checkpoint that does not exist has no row.
 *
 * @param places - The id {@link NEWEST} is for the newest checkpoint of a namespace.
 */
export async function getStateSizes(
  call: CallContext,
  places: readonly CheckpointPlace[],
): Promise<Map<CheckpointPlace, StateSizesRow>> {
  const { splices: hasSplices } = await addedColumns(call);
  const rows = await readGiven(call, places, (naming, params) =>
    runGiven(call, naming, sizes.of({ naming, hasSplices }), params),
  );
  return new Map(rows);
}

interface SizesShape {
  readonly naming: ThreadNaming;
  readonly hasSplices: boolean;
}

const sizes = /* @__PURE__ */ new StatementFamily<SizesShape, GivenParams, StateSizesRow>(
  ({ naming, hasSplices }) =>
    (db, parameter) => {
      const threadId = givenThread(naming, parameter);
      return db
        .selectFrom(givenCheckpoints(parameter))
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoints as header")
              .where("header.thread_id", "=", threadId)
              .whereRef("header.checkpoint_ns", "=", "given.checkpoint_ns")
              .where(sql<SqlBool>`given.checkpoint_id in (header.checkpoint_id, ${sql.lit(NEWEST)})`)
              .select("header.checkpoint_id")
              .select(sql<object | null>`header.checkpoint -> 'channel_versions'`.as("versions"))
              .orderBy(sql`header.checkpoint_id collate "C"`, "desc")
              .limit(sql.lit(1))
              .as("head"),
          (join) => join.onTrue(),
        )
        .select(sql<number>`given.position::float8`.as("position"))
        .select("head.checkpoint_id")
        .select((eb) => {
          const channels = eb
            .selectFrom(eachChannelVersion(eb.ref("head.versions")))
            .leftJoin("checkpoint_blobs as stored", (join) =>
              join
                .on("stored.thread_id", "=", threadId)
                .onRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
                .onRef("stored.channel", "=", "entry.channel")
                .onRef("stored.version", "=", "entry.version"),
            )
            .select(
              sql<string>`json_agg(json_build_array(entry.channel, coalesce(${wholeBytesIn("stored.", hasSplices)}, 0)))`.as(
                "list",
              ),
            );
          return sql<string>`coalesce(${channels}, '[]')::text`.as("sizes_json");
        });
    },
);
