import { sql } from "kysely";
import { type BoundStatement, StatementFamily } from "./statement.js";

/** A setting of a transaction, with its value. */
export type LocalSetting = readonly [name: string, value: string];

/** Keeps the server from compiling statements by JIT. Every role may set it. */
export const WITHOUT_JIT: LocalSetting = ["jit", "off"];

/** The value that a setting had before; `null` where the server doesn't know it. */
interface PreviousRow {
  readonly before: string | null;
}

/** Changes a setting for the rest of the transaction, and not of the session (C12). */
export function setLocally([name, value]: LocalSetting): BoundStatement<PreviousRow> {
  return settings.of(name).bind("", { value });
}

const settings = new StatementFamily<string, { readonly value: string }, PreviousRow>(
  (name) => (db, parameter) =>
    db.selectNoFrom([
      sql<string | null>`current_setting(${sql.lit(name)}, true)`.as("before"),
      sql<string>`set_config(${sql.lit(name)}, ${parameter("value")}, true)`.as("set"),
    ]),
);
