import { ERROR, INTERRUPT } from "@langchain/langgraph-checkpoint";
import { type Expression, type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement, StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointPlace, NamespacePlace } from "../api/places.js";
import { timeInHeader } from "./header-time.js";
import { givenPlaces, type PlacesParams, placesParams } from "./given-checkpoints.js";

/** A checkpoint in a history. Its metadata may hold much, of which this has some texts. */
export interface PointRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  /** The time in the header; `null` when the id contains a time. */
  readonly ts: string | null;
  readonly step: string | null;
  readonly source: string | null;
  readonly run_id: string | null;
  readonly answered_by: string | null;
  readonly writes: number;
  readonly interrupted: boolean;
  readonly failed: boolean;
}

/** A part of the history of a namespace. */
interface HistoryPart extends NamespacePlace {
  /** The last checkpoint of the preceding part; `undefined` begins with the newest. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** Reads checkpoints of a namespace, the newest first. */
export function getHistoryPoints(call: CallContext, { before, ...part }: HistoryPart): Promise<PointRow[]> {
  const shape = before === undefined ? "newest" : "older";
  return runStatement(call, pages.of(shape), { ...part, before: before ?? "" });
}

/** Reads these checkpoints of one thread, in the order of their ids. */
export async function getPoints(call: CallContext, places: readonly CheckpointPlace[]): Promise<PointRow[]> {
  const [first] = places;
  return first === undefined ? [] : runStatement(call, single, placesParams(first.threadId, places));
}

interface PageParams extends NamespacePlace {
  readonly before: string;
  readonly limit: number;
}

const pages = new StatementFamily<"newest" | "older", PageParams, PointRow>(
  (shape) => (db, parameter) =>
    pointsOf(
      db.with("page", (qb) =>
        qb
          .selectFrom("checkpoints")
          .selectAll()
          .where("thread_id", "=", parameter("threadId"))
          .where("checkpoint_ns", "=", parameter("namespace"))
          .$if(shape === "older", (query) =>
            query.where(sql<string>`checkpoint_id collate "C"`, "<", parameter("before")),
          )
          .orderBy(sql`checkpoint_id collate "C"`, "desc")
          .limit(parameter("limit")),
      ),
      parameter("threadId"),
    ).orderBy(sql`page.checkpoint_id collate "C"`, "desc"),
);

const single = new Statement<PlacesParams, PointRow>((db, parameter) =>
  pointsOf(
    db.with("page", (qb) =>
      qb
        .selectFrom(givenPlaces(parameter))
        .innerJoin("checkpoints as stored", (join) =>
          join
            .on("stored.thread_id", "=", parameter("threadId"))
            .onRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
            .onRef("stored.checkpoint_id", "=", "given.checkpoint_id"),
        )
        .selectAll("stored"),
    ),
    parameter("threadId"),
  ).orderBy(sql`page.checkpoint_id collate "C"`),
);

type WithPage = CheckpointDatabase & { page: CheckpointDatabase["checkpoints"] };

function pointsOf(db: QueryCreator<WithPage>, threadId: RawBuilder<string>) {
  return db
    .selectFrom("page")
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoint_writes as write")
          .where("write.thread_id", "=", threadId)
          .whereRef("write.checkpoint_ns", "=", "page.checkpoint_ns")
          .whereRef("write.checkpoint_id", "=", "page.checkpoint_id")
          .select([
            sql<number>`count(*)::integer`.as("writes"),
            sql<boolean>`coalesce(bool_or(write.channel = ${sql.lit(INTERRUPT)}), false)`.as("interrupted"),
            sql<boolean>`coalesce(bool_or(write.channel = ${sql.lit(ERROR)}), false)`.as("failed"),
          ])
          .as("counts"),
      (join) => join.onTrue(),
    )
    .select(["page.checkpoint_ns", "page.checkpoint_id", "page.parent_checkpoint_id"])
    .select(["counts.writes", "counts.interrupted", "counts.failed"])
    .select((eb) => {
      const metadata = eb.ref("page.metadata");
      return [
        timeInHeader(eb.ref("page.checkpoint_id"), eb.ref("page.checkpoint")).as("ts"),
        textOf(metadata, "step").as("step"),
        textOf(metadata, "source").as("source"),
        textOf(metadata, "run_id").as("run_id"),
        textOf(metadata, "answered_by").as("answered_by"),
      ];
    });
}

function textOf(metadata: Expression<unknown>, name: "step" | "source" | "run_id" | "answered_by") {
  return sql<string | null>`${metadata} ->> ${sql.lit(name)}`;
}

/** The nodes that the metadata of a checkpoint names. */
interface WritersRow {
  readonly checkpoint_id: string;
  /** A JSON list of names; `null` where the metadata names none. */
  readonly nodes_json: string | null;
}

/** Reads which nodes made checkpoints of one namespace, where LangGraph 0.x has stored what they wrote in the metadata. */
export async function getWriters(
  call: CallContext,
  places: readonly CheckpointPlace[],
): Promise<WritersRow[]> {
  const [first] = places;
  return first === undefined ? [] : runStatement(call, writers, placesParams(first.threadId, places));
}

const writers = new Statement<PlacesParams, WritersRow>((db, parameter) =>
  db
    .selectFrom(givenPlaces(parameter))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoints as stored")
          .where("stored.thread_id", "=", parameter("threadId"))
          .whereRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
          .whereRef("stored.checkpoint_id", "=", "given.checkpoint_id")
          .select("stored.checkpoint_id")
          .select(sql<object | null>`stored.metadata -> 'writes'`.as("writes"))
          .limit(sql.lit(1))
          .as("head"),
      (join) => join.onTrue(),
    )
    .select("head.checkpoint_id")
    .select(
      sql<string | null>`(select json_agg(name)::text from jsonb_object_keys(
        case when jsonb_typeof(head.writes) = 'object' then head.writes end) as writer(name))`.as(
        "nodes_json",
      ),
    ),
);
