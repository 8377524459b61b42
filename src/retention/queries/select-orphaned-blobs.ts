import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import { unreferencedBlobs } from "./blob-references.js";
import {
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";

/** A value that no checkpoint needs. */
export interface OrphanedBlobRow {
  channel: string;
  version: string;
  /** The version that the value is a splice of; `null` for a whole value. */
  base: string | null;
}

/** The values of each namespace that no checkpoint needs, directly or through a splice (C13), ordered by channel and version. */
export async function selectOrphanedBlobs(
  call: CallContext,
  namespaces: readonly NamespaceKey[],
): Promise<OrphanedBlobRow[][]> {
  return runPerNamespace(
    call,
    orphanedBlobs,
    namespaces.map((key) => ({ key })),
    {},
  );
}

const orphanedBlobs = /* @__PURE__ */ new StatementFamily<
  ThreadNaming,
  GivenParams,
  OrphanedBlobRow & GivenOrdinal
>(
  (naming) => (db, parameter) =>
    withGiven(db, parameter)
      .selectFrom("given")
      .innerJoinLateral(unreferencedBlobs(db, givenThread(naming, parameter), "all").as("each"), (join) =>
        join.onTrue(),
      )
      .select(["given.ordinal", "each.channel", "each.version", "each.base"])
      .orderBy("given.ordinal")
      .orderBy(sql`each.channel collate "C"`)
      .orderBy(sql`each.version collate "C"`),
);
