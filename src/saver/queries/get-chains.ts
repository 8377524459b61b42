import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { placementOf, type Placement } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { ChannelValueContext } from "../../serde/serde-context.js";
import { type GivenParams, givenParams, givenRows } from "./given-rows.js";
import { sentBytes } from "./sent-row.js";
import { readItems } from "./thread-groups.js";

/** Identifies a value of a channel. */
export interface ValueKeyRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
}

/** The columns of a {@link ValueKeyRow}. */
export const VALUE_KEY = [
  "thread_id",
  "checkpoint_ns",
  "channel",
  "version",
] as const satisfies (keyof ValueKeyRow)[];

/** A value, or a value that another one is made of. */
export interface ChainRowOfPage extends ValueKeyRow {
  readonly type: string | null;
  readonly base: string | null;
  /** The bytes, as `sentBytes` selects them. */
  readonly blob: string | null;
}

/** Reads values and all values that they are made of, each once, in one statement (C10). */
export async function getChains(
  call: CallContext,
  places: readonly ChannelValueContext[],
): Promise<ChainRowOfPage[]> {
  const placement = await placementOf(call);
  const statement = chains.of(placement);
  return readItems(
    placement,
    places,
    ({ threadId }) => threadId,
    (items, threadId) =>
      runStatement(call, statement, {
        ...givenParams(VALUE_TYPES, items.map(rowOf)),
        threadId,
        pieceBytes: pieceBytesOf(call),
      }),
  );
}

const VALUE_TYPES = { thread_id: "text", checkpoint_ns: "text", channel: "text", version: "text" } as const;

function rowOf({ threadId, checkpointNs, channel, version }: ChannelValueContext): ValueKeyRow {
  return { thread_id: threadId, checkpoint_ns: checkpointNs, channel, version };
}

/** The columns of the CTE `chain`. */
export const CHAIN = "chain(thread_id, checkpoint_ns, channel, version)";

type WithChain = CheckpointDatabase & { wanted: ValueKeyRow; chain: ValueKeyRow };

/**
 * The recursive CTE `chain`: the values in the CTE `wanted`, and all values that they are made of. Each occurs once, however many
 * refer to it, so it also ends where rows refer to each other.
 *
 * @param threadId - The thread of all values, in a statement that names it (N1).
 */
export function chainOfWanted(db: QueryCreator<WithChain>, threadId?: RawBuilder<string>) {
  return db
    .selectFrom("wanted")
    .select(["wanted.thread_id", "wanted.checkpoint_ns", "wanted.channel", "wanted.version"])
    .union(
      db
        .selectFrom("chain")
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_blobs as stored")
              .select("stored.base")
              .where("stored.thread_id", "=", threadId ?? eb.ref("chain.thread_id"))
              .whereRef("stored.checkpoint_ns", "=", "chain.checkpoint_ns")
              .whereRef("stored.channel", "=", "chain.channel")
              .whereRef("stored.version", "=", "chain.version")
              .limit(sql.lit(1))
              .as("found"),
          (join) => join.onTrue(),
        )
        .select(["chain.thread_id", "chain.checkpoint_ns", "chain.channel"])
        .select(sql<string>`found.base`.as("version"))
        .where("found.base", "is not", null),
    );
}

interface ChainParams extends GivenParams<keyof typeof VALUE_TYPES> {
  /** The thread of all places, for a statement that names it. */
  readonly threadId: string;
  readonly pieceBytes: number;
}

const chains = new StatementFamily<Placement, ChainParams, ChainRowOfPage>(
  ({ isOnNodes }) =>
    (db, parameter) => {
      const threadId = isOnNodes ? parameter("threadId") : undefined;
      return (
        db
          // Kysely takes the word RECURSIVE from the first CTE.
          .withRecursive("wanted", (qb) =>
            qb
              .selectFrom(givenRows<ValueKeyRow, "given", keyof ValueKeyRow>("given", VALUE_TYPES, parameter))
              .select(["given.thread_id", "given.checkpoint_ns", "given.channel", "given.version"]),
          )
          .withRecursive(CHAIN, (qb) => chainOfWanted(qb, threadId))
          .selectFrom("chain")
          .innerJoinLateral(
            (eb) =>
              eb
                .selectFrom("checkpoint_blobs as stored")
                .select(["stored.type", "stored.base"])
                .select(sentBytes("stored", parameter("pieceBytes"), isOnNodes).as("blob"))
                .where("stored.thread_id", "=", threadId ?? eb.ref("chain.thread_id"))
                .whereRef("stored.checkpoint_ns", "=", "chain.checkpoint_ns")
                .whereRef("stored.channel", "=", "chain.channel")
                .whereRef("stored.version", "=", "chain.version")
                .limit(sql.lit(1))
                .as("found"),
            (join) => join.onTrue(),
          )
          .selectAll(["chain", "found"])
      );
    },
);
