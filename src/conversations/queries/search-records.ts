import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";
import { containsPattern } from "../../db/contains-pattern.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import type { SearchRequest } from "../boundary.js";
import { type ConversationRow, jsonb, RECORD } from "./records.js";

const CONDITIONS = ["owner", "metadata", "title", "after"] as const;
type Condition = (typeof CONDITIONS)[number];

/** The parameters of a search, whichever of them its conditions use. */
interface SearchParams {
  readonly owner: string;
  /** JSON text. */
  readonly metadata: string;
  /** A pattern of `ilike`. */
  readonly title: string;
  /** The time of the last conversation of the preceding page, in ISO 8601. */
  readonly time: string;
  readonly threadId: string;
  readonly limit: number;
  readonly offset: number;
}

interface SearchShape extends Pick<SearchRequest, "sortBy" | "sortOrder"> {
  readonly narrowed: readonly Condition[];
}

/** What the statements of a search need. */
export interface BoundSearch {
  readonly shape: SearchShape;
  readonly params: SearchParams;
}

/** Makes parameters of a request. The owner is compared by the column, which has an index together with the time. */
export function bindSearch(request: SearchRequest): BoundSearch {
  const { metadata, title, after, sortBy, sortOrder, limit, offset } = request;
  const whole = JSON.parse(metadata ?? "{}") as Record<string, unknown>;
  const { owner, ...others } = whole;
  const ofOwner = typeof owner === "string";
  const contained = ofOwner ? others : whole;
  const given = {
    owner: ofOwner,
    metadata: Object.keys(contained).length > 0,
    title: title !== undefined,
    after: after !== undefined,
  };
  return {
    shape: { sortBy, sortOrder, narrowed: CONDITIONS.filter((name) => given[name]) },
    params: {
      owner: ofOwner ? owner : "",
      metadata: JSON.stringify(contained),
      title: containsPattern(title ?? ""),
      time: after?.[sortBy].toISOString() ?? "",
      threadId: after?.thread_id ?? "",
      limit,
      offset,
    },
  };
}

/** Reads a page of matching records. */
export const searchRecords = new StatementFamily<SearchShape, SearchParams, ConversationRow>(
  ({ narrowed, sortBy, sortOrder }) =>
    (db, parameter) =>
      db
        .selectFrom("checkpoint_conversations")
        .where((eb) => eb.and(conditions(narrowed, parameter)))
        .$if(narrowed.includes("after"), (rows) => rows.where(isAfter({ sortBy, sortOrder }, parameter)))
        .select(RECORD)
        .orderBy(sortBy, sortOrder)
        .orderBy("thread_id", sortOrder)
        .limit(parameter("limit"))
        .offset(parameter("offset")),
);

/** Counts all matching records, also those of other pages. */
export const countRecords = new StatementFamily<readonly Condition[], SearchParams, { total: string }>(
  (narrowed) => (db, parameter) =>
    db
      .selectFrom("checkpoint_conversations")
      .where((eb) => eb.and(conditions(narrowed, parameter)))
      .select(sql<string>`count(*)::text`.as("total")),
);

function conditions(
  narrowed: readonly Condition[],
  parameter: Parameter<SearchParams>,
): Expression<SqlBool>[] {
  const each: Partial<Record<Condition, RawBuilder<SqlBool>>> = {
    owner: sql<SqlBool>`owner = ${parameter("owner")}`,
    metadata: sql<SqlBool>`metadata @> ${jsonb(parameter("metadata"))}`,
    title: sql<SqlBool>`title ilike ${parameter("title")}`,
  };
  return narrowed.flatMap((name) => each[name] ?? []);
}

function isAfter(
  { sortBy, sortOrder }: Pick<SearchShape, "sortBy" | "sortOrder">,
  parameter: Parameter<SearchParams>,
): RawBuilder<SqlBool> {
  const place = sql`(${parameter("time")}::text::timestamptz, ${parameter("threadId")}::text)`;
  const row = sql`(${sql.ref(sortBy)}, thread_id)`;
  return sortOrder === "asc" ? sql<SqlBool>`${row} > ${place}` : sql<SqlBool>`${row} < ${place}`;
}
