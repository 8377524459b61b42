import { createHash } from "node:crypto";
import {
  type Compilable,
  DummyDriver,
  Kysely,
  type OperationNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCreator,
  type RawBuilder,
  type RootOperationNode,
  sql,
} from "kysely";
import type { CheckpointDatabase } from "../checkpoint-database.js";

/** What the builder of a statement calls for each parameter: a typed hole, filled anew at every run. */
export type Parameter<Params> = <Name extends keyof Params & string>(name: Name) => RawBuilder<Params[Name]>;

/** Builds the query of a statement over the tables of one schema. */
export type StatementBuilder<Params, Row> = (
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<Params>,
) => Compilable<Row>;

/** A statement with the values of one run. */
export interface BoundStatement<Row> {
  /** What it is prepared under. */
  readonly name: string;
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Whether it changes rows. */
  readonly writes?: boolean;
  /** The type of a row: never there, and needed only by the compiler. */
  readonly row?: Row;
}

/**
 * A query that Kysely builds and compiles once per schema, and that is then run with fresh parameters. Building one
 * anew costs more than Postgres takes to answer it, and only the same text can be sent as a prepared statement.
 */
export class Statement<Params extends object, Row> {
  readonly #build: StatementBuilder<Params, Row>;
  readonly #compiledBySchema = new Map<string, BoundStatement<Row>>();

  constructor(build: StatementBuilder<Params, Row>) {
    this.#build = build;
  }

  /** The statement for `schema`, its holes filled from `params`. */
  bind(schema: string, params: Params): BoundStatement<Row> {
    const { name, sql, parameters, writes = false } = this.#compiled(schema);
    return {
      name,
      sql,
      writes,
      parameters: parameters.map((value) => (value instanceof Hole ? valueAt(params, value.name) : value)),
    };
  }

  #compiled(schema: string): BoundStatement<Row> {
    const known = this.#compiledBySchema.get(schema);
    if (known !== undefined) return known;
    const {
      query,
      sql: text,
      parameters,
    } = this.#build(compiler().withSchema(schema), (name) => sql`${new Hole(name)}`).compile();
    const compiled = { name: statementName(text), sql: text, parameters, writes: writes(query) };
    this.#compiledBySchema.set(schema, compiled);
    return compiled;
  }
}

/** By content, since savers of two versions may share a connection, and pg refuses one name for two texts. */
export function statementName(text: string): string {
  return `checkpoint_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
}

const WRITING_KINDS: readonly OperationNode["kind"][] = [
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
  "MergeQueryNode",
];

/** Whether the query changes rows itself, or one that stands before it by WITH does. */
function writes(query: RootOperationNode): boolean {
  if (WRITING_KINDS.includes(query.kind)) return true;
  const preceding = "with" in query ? query.with : undefined;
  return preceding?.expressions.some(({ expression }) => WRITING_KINDS.includes(expression.kind)) ?? false;
}

/** Stands in a compiled query's parameters for the value that a run brings. */
class Hole {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function valueAt(params: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(params, name)?.value;
}

/** Sends a value once, however often the text asks for it: a header of many kilobytes among them. */
class HoleCompiler extends PostgresQueryCompiler {
  readonly #placeholders = new Map<string, string>();

  protected override appendValue(parameter: unknown): void {
    if (!(parameter instanceof Hole)) {
      super.appendValue(parameter);
      return;
    }
    const known = this.#placeholders.get(parameter.name);
    if (known !== undefined) {
      this.append(known);
      return;
    }
    super.appendValue(parameter);
    this.#placeholders.set(parameter.name, this.getCurrentParameterPlaceholder());
  }
}

// Compiles only: nothing can be sent through it. One for each statement, as it remembers the statement's holes.
function compiler(): Kysely<CheckpointDatabase> {
  return new Kysely<CheckpointDatabase>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new HoleCompiler(),
    },
  });
}
