import type { StatementDialect } from "./statement-dialect.js";
import { Statement, type StatementBuilder } from "./statement.js";

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
