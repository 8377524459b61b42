import type { Compilable, QueryCreator, RawBuilder, SelectQueryBuilder } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { StatementFamily, type Parameter } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import { type GivenOrdinal, type GivenParams, type GivenRow, givenThread, runPerNamespace, withGiven } from "./given-namespaces.js";

/** Makes the lists of ids or channels that a statement looks up in a namespace. It reads them by `givenList` of their names. */
type ListsOf<Key> = Readonly<Record<string, (key: Key) => readonly string[]>>;

/** What a query over the given namespaces is built from. */
interface Parts<More> {
  readonly db: QueryCreator<CheckpointDatabase>;
  /** Selects from the CTE `given`, the given namespaces. */
  readonly given: SelectQueryBuilder<CheckpointDatabase & { given: GivenRow }, "given", object>;
  /** The thread of the current row of `given`. */
  readonly threadId: RawBuilder<string>;
  readonly parameter: Parameter<GivenParams & More>;
}

/**
 * Makes a function that runs one statement for many namespaces, and returns the rows of each one, in the same order.
 *
 * @param build - Joins `given` with LATERAL to a query over one namespace, and selects `given.ordinal` with the columns of a row.
 */
export function perNamespace<Key extends NamespaceKey, Row>(
  listsOf: ListsOf<Key>,
  build: (parts: Parts<object>) => Compilable<Row & GivenOrdinal>,
): (call: CallContext, keys: readonly Key[]) => Promise<Row[][]> {
  const run = perNamespaceWith<Key, object, Row>(listsOf, build);
  return (call, keys) => run(call, keys, {});
}

/** {@link perNamespace} for a statement with parameters of its own. */
export function perNamespaceWith<Key extends NamespaceKey, More extends object, Row>(
  listsOf: ListsOf<Key>,
  build: (parts: Parts<More>) => Compilable<Row & GivenOrdinal>,
): (call: CallContext, keys: readonly Key[], more: More) => Promise<Row[][]> {
  const names = Object.keys(listsOf);
  const statements = new StatementFamily<ThreadNaming, GivenParams & More, Row & GivenOrdinal>(
    (naming) => (db, parameter) =>
      build({
        db,
        given: withGiven(db, parameter, names).selectFrom("given"),
        threadId: givenThread(naming, parameter),
        parameter,
      }),
  );
  return (call, keys, more) => {
    const given = keys.map((key) => ({
      key,
      lists: Object.fromEntries(Object.entries(listsOf).map(([name, listOf]) => [name, listOf(key)])),
    }));
    return runPerNamespace(call, statements, given, more);
  };
}
