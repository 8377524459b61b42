import { sql } from "kysely";
import { isAlive } from "../../db/expiry.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { EntryPlace, SentEntry } from "../model/entry.js";
import { sentValue } from "./entry-expressions.js";

/** An entry that was found. */
interface EntryRow extends SentEntry {
  /** The position of its place among those that were asked for, from 1. */
  readonly position: number;
}

/** Reads entries. Expired ones are not found. No place may occur twice. */
export function getEntries(schema: string, places: readonly EntryPlace[]): BoundStatement<EntryRow> {
  const namespaces = places.map(({ namespace }) => namespace);
  return statement.bind(schema, { namespaces, keys: places.map(({ key }) => key) });
}

interface GetParams {
  readonly namespaces: readonly string[];
  readonly keys: readonly string[];
}

const statement = /* @__PURE__ */ new Statement<GetParams, EntryRow>((db, parameter) => {
  const wanted = sql<EntryPlace & { position: number }>`unnest(
    (select ${parameter("namespaces")}::text[]), (select ${parameter("keys")}::text[])
  ) with ordinality`.as<"wanted">(sql`wanted(namespace, key, position)`);
  return db
    .selectFrom(wanted)
    .innerJoin("cache_entries as entry", (join) =>
      join.onRef("entry.namespace", "=", "wanted.namespace").onRef("entry.key", "=", "wanted.key"),
    )
    .where(isAlive("entry"))
    .select([
      sql<number>`wanted.position::integer`.as("position"),
      "entry.type",
      sentValue("entry").as("base64"),
    ]);
});
