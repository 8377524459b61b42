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

/** Statements that do the same in several shapes. Each is built once, when a call first needs it. */
export class StatementFamily<Shape, Params extends object, Row> {
  readonly #builderOf: (shape: Shape) => StatementBuilder<Params, Row>;
  readonly #dialect: StatementDialect | undefined;
  readonly #statements = new Map<string, Statement<Params, Row>>();

  /** @param dialect - Default: that of Postgres. */
  constructor(builderOf: (shape: Shape) => StatementBuilder<Params, Row>, dialect?: StatementDialect) {
    this.#builderOf = builderOf;
    this.#dialect = dialect;
  }

  /** @param shape - Made of texts, numbers, booleans, lists and plain objects. Equal shapes share a statement. */
  of(shape: Shape): Statement<Params, Row> {
    const id = JSON.stringify(shape);
    const known = this.#statements.get(id);
    if (known !== undefined) return known;
    const statement = new Statement(this.#builderOf(shape), this.#dialect);
    this.#statements.set(id, statement);
    return statement;
  }
}

/** Quoted names and texts, which may contain anything, and placeholders with the type that follows. */
const PLACEHOLDERS = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)(?:::(\w+(?:\[\])?))?/g;

/**
 * Returns the types that a compiled text casts its parameters to, such as `text[]`, by their positions. A parameter of which
 * the text says nothing has none.
 */
export function parameterTypes(text: string): readonly (string | undefined)[] {
  const types: (string | undefined)[] = [];
  replacePlaceholders(text, (placeholder, index, type) => {
    types[index] ??= type;
    return placeholder;
  });
  return types;
}

/**
 * Replaces the placeholders of a compiled text, each with the type that follows it.
 *
 * @param replace - Receives the placeholder as it is written, the position of its parameter, counted from 0, and the type.
 */
export function replacePlaceholders(
  text: string,
  replace: (placeholder: string, index: number, type: string | undefined) => string,
): string {
  return text.replace(PLACEHOLDERS, (found: string, number?: string, type?: string) =>
    number === undefined ? found : replace(found, Number(number) - 1, type),
  );
}
