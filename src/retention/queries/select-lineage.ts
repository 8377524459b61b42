import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { rowVersion } from "../../saver/queries/sent-bytes.js";
import type { CheckpointsKey } from "./drop-checkpoints.js";
import {
  byNamespace,
  GIVEN_NS,
  GIVEN_THREAD,
  type GivenParams,
  givenList,
  givenParams,
  type OfNamespace,
  withGiven,
} from "./given-namespaces.js";

/** A checkpoint and what it follows. */
export interface LineageRow {
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  /** Tells the row from the one that replaces it. */
  version: string;
}

/** Who follows whom in each namespace: of all of its checkpoints the keys alone, in no order. */
export async function selectLineage(
  call: CallContext,
  namespaces: readonly NamespaceKey[],
): Promise<LineageRow[][]> {
  if (namespaces.length === 0) return [];
  const rows = await runStatement(call, lineage, givenParams(namespaces.map((key) => ({ key }))));
  return byNamespace(namespaces, rows);
}

const lineage = /* @__PURE__ */ new Statement<GivenParams, LineageRow & OfNamespace>((db, parameter) =>
  withGiven(db, parameter)
    .selectFrom("given")
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoints as stored")
          .select(["stored.checkpoint_id", "stored.parent_checkpoint_id", rowVersion("stored").as("version")])
          .where("stored.thread_id", "=", GIVEN_THREAD)
          .where("stored.checkpoint_ns", "=", GIVEN_NS)
          .offset(sql.lit(0))
          .as("each"),
      (join) => join.onTrue(),
    )
    .select(["given.n", "each.checkpoint_id", "each.parent_checkpoint_id", "each.version"]),
);

/** A checkpoint whose sends are among the writes of its parent: one before version 4 of the format. */
export interface ReaderRow {
  checkpoint_id: string;
  parent_checkpoint_id: string;
}

/** Those of some checkpoints of each namespace that read their sends from their parents. */
export async function selectReaders(
  call: CallContext,
  keys: readonly CheckpointsKey[],
): Promise<ReaderRow[][]> {
  if (keys.length === 0) return [];
  const given = keys.map(({ checkpointIds: ids, ...key }) => ({ key, lists: { ids } }));
  return byNamespace(keys, await runStatement(call, readersOf("of given checkpoints"), givenParams(given)));
}

/** All checkpoints of each namespace that read their sends from their parents. */
export async function selectAllReaders(
  call: CallContext,
  namespaces: readonly NamespaceKey[],
): Promise<ReaderRow[][]> {
  if (namespaces.length === 0) return [];
  const rows = await runStatement(call, readersOf("all"), givenParams(namespaces.map((key) => ({ key }))));
  return byNamespace(namespaces, rows);
}

const readersOf = (shape: ReaderShape) => readers.of(shape, shape);

const IS_BEFORE_VERSION_4 = sql<SqlBool>`checkpoint -> 'v' < '4'::jsonb`;

type ReaderShape = "of given checkpoints" | "all";

const readers = /* @__PURE__ */ new StatementFamily<ReaderShape, GivenParams, ReaderRow & OfNamespace>(
  (shape) => (db, parameter) =>
    withGiven(db, parameter, shape === "all" ? [] : ["ids"])
      .selectFrom("given")
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoints")
            .select(["checkpoint_id", "parent_checkpoint_id"])
            .where("thread_id", "=", GIVEN_THREAD)
            .where("checkpoint_ns", "=", GIVEN_NS)
            .where(
              shape === "all" ? sql<SqlBool>`true` : sql<SqlBool>`checkpoint_id = any (${givenList("ids")})`,
            )
            .where("parent_checkpoint_id", "is not", null)
            .where(IS_BEFORE_VERSION_4)
            .offset(sql.lit(0))
            .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.n", "each.checkpoint_id", "each.parent_checkpoint_id"])
      .$narrowType<ReaderRow>(),
);
