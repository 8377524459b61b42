import {
  type AliasableExpression,
  type AliasedExpression,
  type QueryCreator,
  type RawBuilder,
  sql,
} from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";

/**
 * One contribution of an ancestor to the history of a channel:
 *
 * - `steps`: all ancestors in one row, a list of {@link DeltaStep} as JSON text
 * - `write`: a write of its tasks
 * - `seed`: the stored value that ends the walk for the channel
 * - `inline`: an inline value that ends the walk, as JSON text
 */
export interface DeltaRow {
  part: "steps" | "write" | "seed" | "inline";
  /** `null` in `steps`. */
  checkpoint_id: string | null;
  channel: string | null;
  version: string | null;
  task_id: string | null;
  task_path: string | null;
  idx: number | null;
  type: string | null;
  /** The bytes, as `sentBytes` selects them. */
  blob: string | null;
  json: string | null;
}

/** The id of an ancestor, and that of its parent, the next ancestor. */
export type DeltaStep = readonly [id: string, parentId: string | null];

/** An ancestor in the walk, with the channels whose walk ended before it and those whose walk ends at it. */
export interface ChainRow {
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  found_before: string[];
  found: string[];
}

type WithChain = CheckpointDatabase & { chain: ChainRow };

/** What a walk looks for, and how it reads the rows. */
export interface DeltaParts {
  readonly channels: RawBuilder<string[]>;
  readonly threadId: RawBuilder<string>;
  readonly checkpointNs: RawBuilder<string>;
  /** Whether the writes have the path of their task. */
  readonly hasTaskPath: boolean;
  /** Selects the bytes of a row, as `sentBytes` does. */
  readonly bytesOf: (row: "stored" | "write") => RawBuilder<string | null>;
}

/** Builds the steps, writes and seeds of a walk from the CTE `chain`. */
export function selectDeltaParts(
  db: QueryCreator<WithChain>,
  { channels, threadId, checkpointNs, hasTaskPath, bytesOf }: DeltaParts,
) {
  return db
    .selectFrom("chain")
    .select((eb) => {
      const step = sql`json_build_array(${eb.ref("chain.checkpoint_id")}, ${eb.ref("chain.parent_checkpoint_id")})`;
      return deltaColumns("steps", { json: sql<string | null>`json_agg(${step})::text` });
    })
    .unionAll((qb) =>
      qb
        .selectFrom("chain")
        .innerJoin("checkpoint_writes as write", "write.checkpoint_id", "chain.checkpoint_id")
        .where("write.thread_id", "=", threadId)
        .where("write.checkpoint_ns", "=", checkpointNs)
        .where((eb) => sql<boolean>`${eb.ref("write.channel")} = any (${channels})`)
        .where((eb) => sql<boolean>`${eb.ref("write.channel")} <> all (${eb.ref("chain.found_before")})`)
        .select((eb) =>
          deltaColumns("write", {
            checkpoint_id: eb.ref("chain.checkpoint_id"),
            channel: eb.ref("write.channel"),
            task_id: eb.ref("write.task_id"),
            ...(hasTaskPath && { task_path: eb.ref("write.task_path") }),
            idx: eb.ref("write.idx"),
            type: eb.ref("write.type"),
            blob: bytesOf("write"),
          }),
        ),
    )
    .unionAll((qb) =>
      withSeedChannels(qb, threadId, checkpointNs)
        .innerJoin("checkpoint_blobs as stored", "stored.channel", "seed.channel")
        .where("stored.thread_id", "=", threadId)
        .where("stored.checkpoint_ns", "=", checkpointNs)
        .where("stored.type", "<>", sql.lit("empty"))
        .where((eb) => {
          const versions = sql`${eb.ref("ancestor.checkpoint")} -> 'channel_versions'`;
          return sql<boolean>`${eb.ref("stored.version")} = ${versions} ->> ${eb.ref("seed.channel")}`;
        })
        .select((eb) =>
          deltaColumns("seed", {
            checkpoint_id: eb.ref("chain.checkpoint_id"),
            channel: eb.ref("seed.channel"),
            version: eb.ref("stored.version"),
            type: eb.ref("stored.type"),
            blob: bytesOf("stored"),
          }),
        ),
    )
    .unionAll((qb) =>
      withSeedChannels(qb, threadId, checkpointNs)
        .where((eb) => {
          const values = sql`${eb.ref("ancestor.checkpoint")} -> 'channel_values'`;
          return sql<boolean>`jsonb_exists(${values}, ${eb.ref("seed.channel")})`;
        })
        .select((eb) => {
          const values = sql`${eb.ref("ancestor.checkpoint")} -> 'channel_values'`;
          return deltaColumns("inline", {
            checkpoint_id: eb.ref("chain.checkpoint_id"),
            channel: eb.ref("seed.channel"),
            json: sql<string>`(${values} -> ${eb.ref("seed.channel")})::text`,
          });
        }),
    );
}

/**
 * Returns each ancestor at which a walk ends, with the channels whose walk ends there. Other ancestors are dropped
 * before their values are looked up.
 */
function withSeedChannels(
  db: Pick<QueryCreator<WithChain>, "selectFrom">,
  threadId: RawBuilder<string>,
  checkpointNs: RawBuilder<string>,
) {
  return db
    .selectFrom("chain")
    .innerJoinLateral(
      (eb) => sql<{ channel: string }>`unnest(${eb.ref("chain.found")})`.as<"seed">(sql`seed(channel)`),
      (join) => join.onTrue(),
    )
    .innerJoin("checkpoints as ancestor", "ancestor.checkpoint_id", "chain.checkpoint_id")
    .where((eb) => sql<boolean>`cardinality(${eb.ref("chain.found")}) > 0`)
    .where("ancestor.thread_id", "=", threadId)
    .where("ancestor.checkpoint_ns", "=", checkpointNs);
}

type Columns = { [Name in keyof DeltaRow]: AliasableExpression<DeltaRow[Name]> };
type DeltaColumn = { [Name in keyof DeltaRow]: AliasedExpression<DeltaRow[Name], Name> }[keyof DeltaRow];

/** Builds the select list of one part: its columns, and NULL for the other columns, always in the same order. */
function deltaColumns(part: DeltaRow["part"], has: Partial<Omit<Columns, "part">>): DeltaColumn[] {
  const noText = sql<string | null>`null::text`;
  return [
    sql<DeltaRow["part"]>`${sql.lit(part)}`.as("part"),
    (has.checkpoint_id ?? noText).as("checkpoint_id"),
    (has.channel ?? noText).as("channel"),
    (has.version ?? noText).as("version"),
    (has.task_id ?? noText).as("task_id"),
    (has.task_path ?? noText).as("task_path"),
    (has.idx ?? sql<number | null>`null::integer`).as("idx"),
    (has.type ?? noText).as("type"),
    (has.blob ?? noText).as("blob"),
    (has.json ?? noText).as("json"),
  ];
}
