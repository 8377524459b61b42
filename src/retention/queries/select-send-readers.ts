import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
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
import type { CheckpointsKey } from "./lock-checkpoints.js";

/** A checkpoint that reads its sends from the writes of its parent: its format is older than version 4. */
export interface SendReaderRow {
  checkpoint_id: string;
  parent_checkpoint_id: string;
}

/** Of the given checkpoints of each namespace, those that read their sends from their parents. */
export async function selectSendReaders(
  call: CallContext,
  keys: readonly CheckpointsKey[],
): Promise<SendReaderRow[][]> {
  const given = keys.map(({ checkpointIds: ids, ...key }) => ({ key, lists: { ids } }));
  return runPerNamespace(call, readersOf("given"), given, {});
}

/** All checkpoints of each namespace that read their sends from their parents. */
export async function selectAllSendReaders(
  call: CallContext,
  namespaces: readonly NamespaceKey[],
): Promise<SendReaderRow[][]> {
  return runPerNamespace(
    call,
    readersOf("all"),
    namespaces.map((key) => ({ key })),
    {},
  );
}

interface ReaderShape {
  readonly which: "given" | "all";
  readonly naming: ThreadNaming;
}

function readersOf(which: ReaderShape["which"]) {
  return { of: (naming: ThreadNaming) => sendReaders.of({ which, naming }) };
}

const IS_BEFORE_VERSION_4 = sql<SqlBool>`checkpoint -> 'v' < '4'::jsonb`;

const sendReaders = /* @__PURE__ */ new StatementFamily<
  ReaderShape,
  GivenParams,
  SendReaderRow & GivenOrdinal
>(
  ({ which, naming }) =>
    (db, parameter) =>
      withGiven(db, parameter, which === "all" ? [] : ["ids"])
        .selectFrom("given")
        .innerJoinLateral(
          givenCheckpoints(db, givenThread(naming, parameter))
            .select(["stored.checkpoint_id", "stored.parent_checkpoint_id"])
            .$if(which === "given", (all) =>
              all.where(sql<SqlBool>`stored.checkpoint_id = any (${givenList("ids")})`),
            )
            .where("stored.parent_checkpoint_id", "is not", null)
            .where(IS_BEFORE_VERSION_4)
            .offset(sql.lit(0))
            .as("each"),
          (join) => join.onTrue(),
        )
        .select(["given.ordinal", "each.checkpoint_id", "each.parent_checkpoint_id"])
        .$narrowType<SendReaderRow>(),
);
