import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { storedSize } from "../../saver/queries/stored-size.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import {
  givenCheckpoints,
  givenList,
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";

/** Checkpoints of a namespace. */
export interface HeadersKey extends NamespaceKey {
  readonly checkpointIds: readonly string[];
}

/** The size of the headers and the metadata of checkpoints. */
export interface HeaderSizeRow {
  readonly bytes: number;
}

/** Measures the headers and the metadata of checkpoints of each namespace. */
export async function measureHeaders(
  call: CallContext,
  keys: readonly HeadersKey[],
): Promise<HeaderSizeRow[]> {
  const given = keys.map(({ checkpointIds: ids, ...key }) => ({ key, lists: { ids } }));
  const rows = await runPerNamespace(call, sizes, given, {});
  return rows.flat().map(({ bytes }) => ({ bytes }));
}

/** The size of the header and the metadata of a row of `checkpoints`. Neither is NULL. */
export function headerSize(row = ""): RawBuilder<number> {
  return sql<number>`${storedSize(`${row}checkpoint`)} + ${storedSize(`${row}metadata`)}`;
}

const sizes = /* @__PURE__ */ new StatementFamily<ThreadNaming, GivenParams, HeaderSizeRow & GivenOrdinal>(
  (naming) => (db, parameter) =>
    withGiven(db, parameter, ["ids"])
      .selectFrom("given")
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom(sql<{ id: string }>`unnest(${givenList("ids")})`.as<"named">(sql`named(id)`))
            .innerJoinLateral(
              givenCheckpoints(db, givenThread(naming, parameter))
                .select(headerSize("stored.").as("bytes"))
                .where("stored.checkpoint_id", "=", sql.ref<string>("named.id"))
                // Makes Postgres use the index for each checkpoint, whatever the statistics say.
                .offset(sql.lit(0))
                .as("header"),
              (join) => join.onTrue(),
            )
            .select(sql<number>`coalesce(sum(header.bytes), 0)::float8`.as("bytes"))
            .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "each.bytes"])
      .orderBy("given.ordinal"),
);
