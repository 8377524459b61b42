import { createHash } from "node:crypto";
import {
  type Compilable,
  type OperationNode,
  type QueryCreator,
  type RawBuilder,
  type RootOperationNode,
  sql,
} from "kysely";
import type { LibraryDatabase } from "../checkpoint-database.js";
import { parameterTypes } from "./parameter-types.js";
import { Placeholder, POSTGRES, type StatementDialect } from "./statement-dialect.js";

/**
 * Called by the builder of a statement for each parameter. Returns a typed placeholder, which each run fills.
 */
export type Parameter<Params> = <Name extends keyof Params & string>(name: Name) => RawBuilder<Params[Name]>;

/** Builds the query of a statement over the tables of one schema. */
export type StatementBuilder<Params, Row> = (
  db: QueryCreator<LibraryDatabase>,
  parameter: Parameter<Params>,
) => Compilable<Row>;

/** A statement with the values of one run. */
export interface BoundStatement<Row> {
  /** The name of the prepared statement. */
  readonly name: string;
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The types that the text casts the parameters to, by their positions. Without them a driver takes the type from a value. */
  readonly types?: readonly (string | undefined)[];
  /** Whether it changes rows. */
  readonly writes?: boolean;
  /** Carries the type of a row for the compiler. It is never set. */
  readonly row?: Row;
}

/**
 * A query that Kysely builds and compiles once per schema, and that then runs with new parameters. Building a
 * query takes longer than Postgres needs to answer it, and only an identical text can be a prepared
 * statement.
 */
export class Statement<Params extends object, Row> {
  readonly #build: StatementBuilder<Params, Row>;
  readonly #dialect: StatementDialect;
  readonly #compiledBySchema = new Map<string, BoundStatement<Row>>();

  constructor(build: StatementBuilder<Params, Row>, dialect: StatementDialect = POSTGRES) {
    this.#build = build;
    this.#dialect = dialect;
  }

  /** Returns the statement for `schema` with the values of `params`. */
  bind(schema: string, params: Params): BoundStatement<Row> {
    const compiled = this.#compiledBySchema.get(schema) ?? this.#compile(schema);
    const parameters: unknown[] = [];
    for (const value of compiled.parameters)
      parameters.push(value instanceof Placeholder ? valueAt(params, value.name) : value);
    return { ...compiled, parameters };
  }

  #compile(schema: string): BoundStatement<Row> {
    const {
      query,
      sql: text,
      parameters,
    } = this.#build(
      this.#dialect.compiler().withSchema(schema),
      (name) => sql`${new Placeholder(name)}`,
    ).compile();
    const compiled = {
      name: statementName(text),
      sql: text,
      parameters,
      types: parameterTypes(text),
      writes: writes(query),
    };
    this.#compiledBySchema.set(schema, compiled);
    return compiled;
  }
}

/**
 * Derived from the text, since savers of two versions may share a connection, and pg refuses one name for two
 * texts.
 */
export function statementName(text: string): string {
  return `checkpoint_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
}

const WRITING_KINDS: readonly OperationNode["kind"][] = [
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
  "MergeQueryNode",
];

/** Whether the query or one of its CTEs changes rows. */
function writes(query: RootOperationNode): boolean {
  if (WRITING_KINDS.includes(query.kind)) return true;
  const preceding = "with" in query ? query.with : undefined;
  return preceding?.expressions.some(({ expression }) => WRITING_KINDS.includes(expression.kind)) ?? false;
}

function valueAt(params: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(params, name)?.value;
}
