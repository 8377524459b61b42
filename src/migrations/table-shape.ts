/** What a step needs of a table that is there already, since `CREATE TABLE IF NOT EXISTS` would accept any relation of that name. */
export interface ExpectedTable {
  /** The columns that the table has had since its first version, in every library that shares it. */
  readonly columns: Readonly<Record<string, ColumnShape>>;
  /** The columns that later steps add. A table may lack them. */
  readonly added?: Readonly<Record<string, ColumnShape>>;
  /** The columns by which a statement finds the row that it would store twice. */
  readonly key: readonly string[];
  /** The tables of this library that it may reference. Default: none. */
  readonly references?: readonly string[];
}

/** What a column must be. */
interface ColumnShape {
  /** The types that it may have, the one that this library creates first. Absent: any. */
  readonly types?: readonly string[];
  /** Whether rows without a value are stored. */
  readonly isNullable?: boolean;
}

export const TEXT: ColumnShape = { types: ["text", "character varying"] };
export const JSONB: ColumnShape = { types: ["jsonb"] };
export const BYTEA: ColumnShape = { types: ["bytea"] };
export const INTEGER: ColumnShape = { types: ["integer"] };
export const TIME: ColumnShape = { types: ["timestamp with time zone"] };
export const ANY: ColumnShape = {};

/** Also allows NULL. */
export function nullable(column: ColumnShape): ColumnShape {
  return { ...column, isNullable: true };
}

/** The table in which an official library counts its migrations. */
export const COUNTED_MIGRATIONS: ExpectedTable = { columns: { v: INTEGER }, key: ["v"] };

/** The shortest length at which `character varying(n)` holds what LangGraph writes: namespaces of nested subgraphs are the longest. */
const MIN_LENGTH = 255;

/** A relation as the catalog describes it. */
export interface StoredTable {
  readonly table: string;
  /** `pg_class.relkind`. */
  readonly kind: string;
  readonly columns: readonly StoredColumn[];
  /** The columns of each unique index by which `ON CONFLICT` can find a row. */
  readonly keys: readonly (readonly string[])[];
  /** All unique indexes, also those of expressions or of some rows. Expressions are no columns. */
  readonly unique: readonly { readonly index: string; readonly columns: readonly string[] }[];
  /** The tables of the same schema that it references. */
  readonly references: readonly string[];
}

/** A column as the catalog describes it. */
interface StoredColumn {
  readonly name: string;
  /** By `format_type`, without the length. */
  readonly type: string;
  /** The length of a `character varying(n)`; `null` without one. */
  readonly length: number | null;
  readonly notNull: boolean;
  readonly hasDefault: boolean;
  /** Whether the server computes it, so that no statement may write it. */
  readonly isGenerated: boolean;
  /** Whether its collation takes texts for equal that differ. */
  readonly isInexact: boolean;
}

const KINDS: Readonly<Record<string, string>> = {
  v: "a view",
  m: "a materialized view",
  f: "a foreign table",
  S: "a sequence",
  c: "a type",
  i: "an index",
  I: "an index",
};

/** Returns the columns that a table lacks. */
export function missingColumns({ columns }: StoredTable, shape: ExpectedTable): string[] {
  return Object.keys(shape.columns).filter((name) => columns.every((column) => column.name !== name));
}

/**
 * Returns how a table differs from what the steps need, each as a sentence about the table; empty where it fits.
 *
 * @param ours - The names of all tables of this library.
 */
export function differencesOf(table: StoredTable, shape: ExpectedTable, ours: readonly string[]): string[] {
  const kind = KINDS[table.kind];
  if (kind !== undefined) return [`is ${kind} and must be a table`];
  const known = { ...shape.columns, ...shape.added };
  return [
    ...table.columns.flatMap((column) => {
      const expected = Object.hasOwn(known, column.name) ? known[column.name] : undefined;
      return expected === undefined
        ? differenceOfOther(column)
        : differencesOfColumn(column, expected, shape.key);
    }),
    ...differencesOfKeys(table, shape.key),
    ...table.references
      .filter((other) => ours.includes(other) && shape.references?.includes(other) !== true)
      .map(
        (other) => `has a foreign key to "${other}", and must have none: their rows are stored in any order`,
      ),
  ];
}

function differencesOfColumn(
  { name, type, length, notNull, isGenerated, isInexact }: StoredColumn,
  { types, isNullable = false }: ColumnShape,
  key: readonly string[],
): string[] {
  const wanted = types?.[0];
  const isShort = length !== null && length < MIN_LENGTH;
  return [
    ...(wanted !== undefined && types?.includes(type) === false
      ? [`has the column "${name}" of type ${type}, which must be ${wanted}`]
      : []),
    ...(isShort
      ? [`has the column "${name}" of at most ${length} characters, which must be ${wanted ?? "text"}`]
      : []),
    ...(isNullable && notNull ? [`has the column "${name}" with NOT NULL, which must allow NULL`] : []),
    ...(key.includes(name) && !notNull
      ? [`has the column "${name}" that allows NULL, which must be NOT NULL`]
      : []),
    ...(isGenerated ? [`has the column "${name}" that the server generates, which must be a plain one`] : []),
    ...(isInexact
      ? [`has the column "${name}" with a nondeterministic collation, which must have the collation "C"`]
      : []),
  ];
}

/** A column that this library does not know. It never writes it. */
function differenceOfOther({ name, notNull, hasDefault, isGenerated }: StoredColumn): string[] {
  return notNull && !hasDefault && !isGenerated
    ? [
        `has the column "${name}" with NOT NULL and without a default, which must allow NULL or have a default`,
      ]
    : [];
}

function differencesOfKeys({ keys, unique }: StoredTable, key: readonly string[]): string[] {
  const names = key.map((name) => `"${name}"`).join(", ");
  const hasKey = keys.some(
    (columns) => columns.length === key.length && key.every((name) => columns.includes(name)),
  );
  return [
    ...(hasKey ? [] : [`must have the primary key (${names})`]),
    ...unique
      .filter(({ columns }) => !key.every((name) => columns.includes(name)))
      .map(({ index }) => `has the unique index "${index}", which refuses rows with different keys`),
  ];
}
