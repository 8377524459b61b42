import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { isAlive } from "../../db/expiry.js";
import { numberText, timeText } from "../../db/number-text.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { SEALED } from "../../store/item-codec.js";
import type { ItemFacts } from "../api/memory.js";
import type { ItemKey } from "../../store/queries/item-rows.js";

/** What is stored of an item beside its value. */
export interface ItemState extends ItemFacts {
  /** Whether a serializer has encrypted or compressed the value. */
  readonly isSealed: boolean;
}

/** Reads what is stored of an item beside its value. */
export async function getItemState(call: CallContext, item: ItemKey): Promise<ItemState | undefined> {
  const [row] = await runStatement(call, states, { ...item });
  if (row === undefined) return undefined;
  return {
    ...{ version: Number(row.version), isSealed: row.is_sealed },
    ...{ createdAt: Number(row.created_ms), updatedAt: Number(row.updated_ms) },
    ...(row.expires_ms !== null && { expiresAt: Number(row.expires_ms) }),
    ...(row.ttl_minutes !== null && { ttlMinutes: Number(row.ttl_minutes) }),
  };
}

/** Numbers are text. */
interface StateRow {
  readonly version: string;
  readonly created_ms: string;
  readonly updated_ms: string;
  readonly expires_ms: string | null;
  readonly ttl_minutes: string | null;
  readonly is_sealed: boolean;
}

const IS_SEALED = sql<boolean>`jsonb_exists(value, ${sql.lit(SEALED)})`;

const states = new Statement<ItemKey, StateRow>((db, parameter) =>
  db
    .selectFrom("store")
    .where("prefix", "=", parameter("prefix"))
    .where("key", "=", parameter("key"))
    .where(isAlive("store"))
    .select([
      sql<string>`version::text`.as("version"),
      timeText(sql.ref("created_at")).as("created_ms"),
      timeText(sql.ref("updated_at")).as("updated_ms"),
      timeText<string | null>(sql.ref("expires_at")).as("expires_ms"),
      numberText<string | null>(sql.ref("ttl_minutes")).as("ttl_minutes"),
      IS_SEALED.as("is_sealed"),
    ]),
);

/** Whether Postgres holds exactly this as the value of an item: it has more digits of a number than JavaScript. */
export async function isStoredAs(call: CallContext, item: ItemKey, json: string): Promise<boolean> {
  const [row] = await runStatement(call, comparisons, { ...item, json });
  return row?.is_equal === true;
}

interface ComparedParams extends ItemKey {
  readonly json: string;
}

const comparisons = new Statement<ComparedParams, { readonly is_equal: boolean }>((db, parameter) =>
  db
    .selectFrom("store")
    .where("prefix", "=", parameter("prefix"))
    .where("key", "=", parameter("key"))
    .select(sql<boolean>`value = ${parameter("json")}::jsonb`.as("is_equal")),
);

/** Whether some of the first items of a namespace are encrypted or compressed. */
export async function hasSealedItems(call: CallContext, prefix: string): Promise<boolean> {
  const rows = await runStatement(call, sealedItems, { prefix });
  return rows.length > 0;
}

/** An application seals all items of a namespace or none. */
const EXAMINED = 100;

const sealedItems = new Statement<{ readonly prefix: string }, { readonly key: string }>((db, parameter) =>
  db
    .selectFrom(
      db
        .selectFrom("store")
        .where("prefix", "=", parameter("prefix"))
        .select(["key", "value"])
        .limit(sql.lit(EXAMINED))
        .as("examined"),
    )
    .where(sql<SqlBool>`${IS_SEALED}`)
    .select("key")
    .limit(sql.lit(1)),
);

/** Lists the names of the vectors of an item, also where the role may not see that there are any: then it fails. */
export async function getVectorNames(call: CallContext, item: ItemKey): Promise<string[]> {
  const [table] = await runStatement(call, vectorTables, { schema: call.schema });
  if (table?.exists !== true) return [];
  const rows = await runStatement(call, vectorNames, { ...item });
  return rows.map(({ name }) => name);
}

const vectorTables = new Statement<{ readonly schema: string }, { readonly exists: boolean }>(
  (db, parameter) =>
    db.selectNoFrom(
      sql<boolean>`to_regclass(format('%I.%I', ${parameter("schema")}::text, 'store_vectors')) is not null`.as(
        "exists",
      ),
    ),
);

const vectorNames = new Statement<ItemKey, { readonly name: string }>((db, parameter) =>
  db
    .selectFrom("store_vectors")
    .where("prefix", "=", parameter("prefix"))
    .where("key", "=", parameter("key"))
    .select("field_name as name"),
);
