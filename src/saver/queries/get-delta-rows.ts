import { type Expression, type ExpressionBuilder, type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { addedColumns } from "../../db/added-columns.js";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { placementOf } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointKey, NamespaceKey } from "../model/keys.js";
import { type ChainRow, type DeltaRow, selectDeltaParts } from "./delta-row.js";
import { hasInline } from "./header-parts.js";
import { sentBytes } from "./sent-row.js";

/**
 * Walks from the parent of a checkpoint to its ancestors, for each channel up to the nearest one that has a value of
 * it, in one statement. Without `checkpointId` it starts from the newest checkpoint of the namespace.
 */
export async function getDeltaRows(
  call: CallContext,
  key: NamespaceKey & Partial<CheckpointKey>,
  channels: readonly string[],
): Promise<DeltaRow[]> {
  const { threadId, checkpointNs, checkpointId } = key;
  const { isOnNodes } = await placementOf(call);
  const shape = {
    fromNewest: checkpointId === undefined,
    isOnNodes,
    hasTaskPath: (await addedColumns(call)).taskPath,
  };
  const params = { threadId, checkpointNs, checkpointId: checkpointId ?? "", channels };
  return runStatement(call, ancestors.of(shape), { ...params, pieceBytes: pieceBytesOf(call) });
}

interface WalkParams extends CheckpointKey {
  readonly channels: readonly string[];
  readonly pieceBytes: number;
}

interface WalkShape {
  readonly fromNewest: boolean;
  readonly isOnNodes: boolean;
  readonly hasTaskPath: boolean;
}

const ancestors = new StatementFamily<WalkShape, WalkParams, DeltaRow>(
  ({ fromNewest, ...shape }) =>
    (db, parameter) =>
      selectAncestors(
        db.withRecursive("target", (qb) => {
          const target = qb
            .selectFrom("checkpoints")
            .select("parent_checkpoint_id")
            .where("thread_id", "=", parameter("threadId"))
            .where("checkpoint_ns", "=", parameter("checkpointNs"));
          return fromNewest
            ? target.orderBy(sql`checkpoint_id collate "C"`, "desc").limit(sql.lit(1))
            : target.where("checkpoint_id", "=", parameter("checkpointId"));
        }),
        parameter,
        shape,
      ),
);

// RECURSIVE applies to the whole WITH, and Kysely writes it where the first CTE asks for it. So `target` does,
// although it is not recursive.
type WithTarget = CheckpointDatabase & { target: { parent_checkpoint_id: string | null } };

/**
 * Builds the contributions of the ancestors from the CTE `target`. Each step carries the channels that have been
 * found, so that the walk ends as soon as all are. It uses UNION, not UNION ALL, so that the walk also ends where
 * damaged rows form a cycle.
 */
function selectAncestors(
  db: QueryCreator<WithTarget>,
  parameter: Parameter<WalkParams>,
  { isOnNodes, hasTaskPath }: Omit<WalkShape, "fromNewest">,
) {
  const threadId = parameter("threadId");
  const checkpointNs = parameter("checkpointNs");
  const channels = sql<string[]>`${parameter("channels")}::text[]`;
  const chain = db.withRecursive("chain", (qb) =>
    qb
      .selectFrom("target")
      .innerJoin("checkpoints as ancestor", "ancestor.checkpoint_id", "target.parent_checkpoint_id")
      .where("ancestor.thread_id", "=", threadId)
      .where("ancestor.checkpoint_ns", "=", checkpointNs)
      .select((eb) => [
        eb.ref("ancestor.checkpoint_id").as("checkpoint_id"),
        eb.ref("ancestor.parent_checkpoint_id").as("parent_checkpoint_id"),
        sql<string[]>`'{}'::text[]`.as("found_before"),
        storedChannels(eb, channels, threadId, checkpointNs).as("found"),
      ])
      .union((recursive) =>
        recursive
          .selectFrom("chain")
          .innerJoin("checkpoints as ancestor", "ancestor.checkpoint_id", "chain.parent_checkpoint_id")
          .where("ancestor.thread_id", "=", threadId)
          .where("ancestor.checkpoint_ns", "=", checkpointNs)
          .where((eb) => sql<boolean>`not ${channels} <@ (${foundSoFar(eb)})`)
          .select((eb) => [
            eb.ref("ancestor.checkpoint_id").as("checkpoint_id"),
            eb.ref("ancestor.parent_checkpoint_id").as("parent_checkpoint_id"),
            foundSoFar(eb).as("found_before"),
            storedChannels(eb, channels, threadId, checkpointNs, foundSoFar(eb)).as("found"),
          ]),
      ),
  );
  return selectDeltaParts(chain, {
    ...{ channels, threadId, checkpointNs, hasTaskPath },
    bytesOf: (row) => sentBytes(row, parameter("pieceBytes"), isOnNodes),
  });
}

/** The channels whose walk has ended at this ancestor or before it. */
export function foundSoFar(eb: ChainBuilder): RawBuilder<string[]> {
  return sql<string[]>`${eb.ref("chain.found_before")} || ${eb.ref("chain.found")}`;
}

type ChainBuilder = Pick<ExpressionBuilder<{ chain: ChainRow }, "chain">, "ref">;
type AncestorBuilder = ExpressionBuilder<
  CheckpointDatabase & { ancestor: CheckpointDatabase["checkpoints"] },
  "ancestor"
>;

/** The `channels` that the ancestor has a value of, in its header or in a blob, except the `known` ones. */
export function storedChannels(
  eb: AncestorBuilder,
  channels: Expression<string[]>,
  threadId: RawBuilder<string>,
  checkpointNs: RawBuilder<string>,
  known?: Expression<string[]>,
): RawBuilder<string[]> {
  const checkpoint = eb.ref("ancestor.checkpoint");
  const names = eb
    .selectFrom(sql<{ name: string }>`unnest(${channels})`.as<"channel">(sql`channel(name)`))
    .select("channel.name")
    .$if(known !== undefined, (others) => others.where(sql<boolean>`name <> all (${known})`))
    .where((inner) =>
      inner.or([
        hasInline(checkpoint, inner.ref("channel.name")),
        inner.exists(
          inner
            .selectFrom("checkpoint_blobs as stored")
            .select("stored.type")
            .where("stored.thread_id", "=", threadId)
            .where("stored.checkpoint_ns", "=", checkpointNs)
            .whereRef("stored.channel", "=", "channel.name")
            .where(
              "stored.version",
              "=",
              sql<string>`${checkpoint} -> 'channel_versions' ->> ${inner.ref("channel.name")}`,
            )
            .where("stored.type", "<>", sql.lit("empty")),
        ),
      ]),
    );
  return sql<string[]>`array(${names})`;
}
