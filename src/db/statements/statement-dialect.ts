import {
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { LibraryDatabase } from "../checkpoint-database.js";

/** A placeholder in a compiled query's parameters. */
export class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Compiles the statements for one kind of database. */
export interface StatementDialect {
  /** Returns a Kysely that only compiles and can't send anything. Each statement takes one of its own. */
  compiler(): Kysely<LibraryDatabase>;
}

export const POSTGRES: StatementDialect = {
  // One for each statement, since it remembers the placeholders of the statement.
  compiler: () =>
    compilerOf({
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PlaceholderCompiler(),
    }),
};

/** A value that a text uses several times is bound several times: better-sqlite3 refuses numbered placeholders. */
export const SQLITE: StatementDialect = {
  compiler: () =>
    compilerOf({
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    }),
};

function compilerOf(dialect: Omit<Dialect, "createDriver">): Kysely<LibraryDatabase> {
  return new Kysely<LibraryDatabase>({ dialect: { ...dialect, createDriver: () => new DummyDriver() } });
}

/** Uses one parameter for a value that the text uses several times, such as a header of many kilobytes. */
class PlaceholderCompiler extends PostgresQueryCompiler {
  readonly #placeholders = new Map<string, string>();

  protected override appendValue(parameter: unknown): void {
    if (!(parameter instanceof Placeholder)) {
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
