import { type AliasedRawBuilder, type RawBuilder, sql } from "kysely";

/** The Postgres type that each column of given rows is sent as. */
export type GivenColumns<Name extends string = string> = Readonly<
  Record<Name, "text" | "jsonb" | "integer" | "bytea">
>;

/** How rows are sent: one row as a parameter for each column, or any number as an array for each column. */
export type GivenShape = "one" | "many";

/** The parameters of a statement, by the names of the columns. */
export type GivenParams<Name extends string = string> = Readonly<Record<Name, unknown>>;

/** A single row may be very long, and an array would copy its value. */
export function shapeOf(rows: readonly unknown[]): GivenShape {
  return rows.length === 1 ? "one" : "many";
}

/**
 * Builds the rows of the parameters that {@link givenParams} returns.
 *
 * Each array is the result of a SELECT, so that the planner doesn't know its length. It would otherwise plan the statement for each
 * length again, which takes longer than to run it.
 *
 * @param alias - The name of the rows in the statement.
 * @param columns - The type of each column.
 */
export function givenRows<Row, Alias extends string, Name extends string>(
  alias: Alias,
  columns: GivenColumns<Name>,
  parameter: (name: Name) => RawBuilder<unknown>,
  shape: GivenShape = "many",
): AliasedRawBuilder<Row, Alias> {
  const values = namesOf(columns).map((name) => {
    const type = columns[name];
    if (shape === "one") return sql`${parameter(name)}::${sql.raw(type)}`;
    // The driver sends an array of JSONB as an array of text.
    return type === "jsonb"
      ? sql`(select ${parameter(name)}::text[]::jsonb[])`
      : sql`(select ${parameter(name)}::${sql.raw(type)}[])`;
  });
  const rows =
    shape === "one" ? sql<Row>`(select ${sql.join(values)})` : sql<Row>`unnest(${sql.join(values)})`;
  const names = sql.join(namesOf(columns).map((name) => sql.ref(name)));
  return rows.as<Alias>(sql`${sql.ref(alias)}(${names})`);
}

/** Returns the parameters of rows: by column a value of the only row, or an array. */
export function givenParams<Name extends string>(
  columns: GivenColumns<Name>,
  rows: readonly object[],
  shape: GivenShape = "many",
): GivenParams<Name> {
  const params: Partial<Record<Name, unknown>> = {};
  for (const name of namesOf(columns)) {
    const values = rows.map((row): unknown => Object.getOwnPropertyDescriptor(row, name)?.value);
    params[name] = shape === "one" ? values[0] : values;
  }
  return params as GivenParams<Name>;
}

function namesOf<Name extends string>(columns: GivenColumns<Name>): Name[] {
  return Object.keys(columns) as Name[];
}
