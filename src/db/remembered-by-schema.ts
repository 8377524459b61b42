import type { CallContext } from "./call-context.js";
import type { OpenedDatabase } from "./opened-database.js";

/**
 * Remembers an answer for each schema of each database. Savers on the same pool share it. It holds answers and no promises: a call inside
 * a transaction may have the only connection, and must not wait for a query of another call.
 */
export class RememberedBySchema<Answer extends object> {
  readonly #known = new WeakMap<object, Map<string, Answer>>();

  get({ database, schema }: CallContext): Answer | undefined {
    return this.#known.get(ownerOf(database))?.get(schema);
  }

  /** Remembers an answer, and returns it. */
  set({ database, schema }: CallContext, answer: Answer): Answer {
    const owner = ownerOf(database);
    const known = this.#known.get(owner) ?? new Map<string, Answer>();
    this.#known.set(owner, known);
    known.set(schema, answer);
    return answer;
  }
}

/** The savers on the transactions of a Kysely share its adapter. */
function ownerOf({ source }: OpenedDatabase): object {
  return "getExecutor" in source ? source.getExecutor().adapter : source;
}
