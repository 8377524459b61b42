import { noop } from "../db/async/noop.js";
import { holdTurn } from "../db/grouping/take-turn.js";
import { VersionConflictError } from "../errors/store-errors.js";
import type { BoundStatement } from "../db/statements/statement.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { GuardStep } from "../db/statements/transaction-steps.js";
import { toNamespace, itemId, type StoreRow, type ItemKey } from "./queries/item-rows.js";
import { type EmbeddedSearches, embedSearches } from "./embeddings/embed-searches.js";
import { encodeItemPut, toFoundItem, toItem, withoutRoot, writingItems } from "./convert-items.js";
import { sendAlone, type EncodedItemWrite, type StoreCall } from "./store-call.js";
import { knownEmbeddings } from "./embeddings/embedding-check.js";
import {
  type GetOperation,
  isGet,
  isList,
  isSearch,
  isWrite,
  type ListOperation,
  type PutOperation,
  type StoreOperation,
  type WriteOperation,
} from "./operations.js";
import { type VectorPlan, withVectors } from "./embeddings/plan-vectors.js";
import { type EmbeddedItem } from "./embeddings/wanted-vectors.js";
import type { EmbeddingStateRow } from "./queries/embedding-state.js";
import { getItems } from "./queries/get-items.js";
import { listItemNamespaces, type PrefixRow } from "./queries/list-namespaces.js";
import { putIf, type PutRow, writeItems, type ItemWriteRow } from "./queries/write-items.js";
import { type FoundRow, type ItemSearch, searchItems } from "./queries/search-items.js";

/** What a statement of a batch may return. */
type AnyRow = StoreRow | FoundRow | PrefixRow | ItemWriteRow | EmbeddingStateRow;

/** A statement that reads, and the results of the operations that it answers. */
interface Reading extends GuardStep<AnyRow> {
  readonly answers: readonly Answer[];
}

/** The result of equal operations. */
interface Answer {
  readonly positions: readonly number[];
  readonly resultOf: (rows: readonly AnyRow[]) => unknown;
}

/** A statement that stores an item where it has an expected version. */
interface ConditionalPut {
  readonly statement: BoundStatement<AnyRow>;
  readonly operation: PutOperation;
}

/**
 * Runs operations in one transaction: first all reads, which see the state before, then all writes, of which the last one of a key
 * counts. Either all of them count or none. Without expected versions it takes one round trip.
 *
 * @returns The results in the order of the operations; `undefined` for a write.
 * @throws VersionConflictError where an item has not the version that a write expects.
 */
export async function runOperations(
  call: StoreCall,
  operations: readonly StoreOperation[],
): Promise<unknown[]> {
  const written = operations.filter(isWrite);
  // Before anything is awaited: the caller may change the values afterwards.
  const encoding = encodeWrites(call, written);
  encoding.catch(noop);
  const run = () => runEncoded(call, operations, written, encoding);
  if (written.length === 0) return run();
  return holdTurn(call, call.groups?.writes, { keys: written.map((write) => itemId(write)) }, run);
}

async function runEncoded(
  call: StoreCall,
  operations: readonly StoreOperation[],
  written: readonly WriteOperation[],
  encoding: Promise<Writes>,
): Promise<unknown[]> {
  if (call.ready !== undefined) await call.ready;
  const searches = await embedSearches(call, operations);
  const readings = readingsOf(call, operations, searches);
  const writes = await encoding;
  const writing = writingItems(call, written);
  const rows = await withVectors(writing, writes.embedded, (plan) => send(writing, readings, writes, plan));
  const results: unknown[] = operations.map(() => undefined);
  for (const [nth, reading] of readings.entries()) {
    reading.check?.(rows[nth] ?? []);
    for (const { positions, resultOf } of reading.answers) {
      // Each caller gets an object of its own, which it may change.
      for (const position of positions) results[position] = await resultOf(rows[nth] ?? []);
    }
  }
  return results;
}

/** What a batch stores and deletes. */
interface Writes {
  readonly conditional: readonly ConditionalPut[];
  readonly statements: readonly BoundStatement<AnyRow>[];
  /** The items whose vectors are replaced. */
  readonly embedded: readonly EmbeddedItem[];
}

async function send(
  call: StoreCall,
  readings: readonly Reading[],
  { conditional, statements: writes }: Pick<Writes, "conditional" | "statements">,
  vectors: VectorPlan,
): Promise<AnyRow[][]> {
  const statements = [...writes, ...vectors.statements];
  // A failed statement would end a transaction of the application.
  const isGuarded = vectors.guard.length > 0 && call.database.kysely.isTransaction;
  if (conditional.length === 0 && !isGuarded) {
    return runTransaction(call, {
      statements: [...readings.map(({ statement }) => statement), ...statements],
      atAnyLevel: true,
    });
  }
  return runConditional(call, readings, { guard: vectors.guard, conditional, statements });
}

interface ConditionalSteps extends Pick<Writes, "conditional" | "statements"> {
  readonly guard: readonly GuardStep[];
}

/** Sends the reads and the conditional writes one by one, and rolls all back where an item has another version. */
async function runConditional(
  call: StoreCall,
  readings: readonly Reading[],
  { guard, conditional, statements }: ConditionalSteps,
): Promise<AnyRow[][]> {
  let conflict: PutOperation | undefined;
  const rows: AnyRow[][] = [];
  const reads = readings.map(({ statement }, nth): GuardStep<AnyRow> => ({
    statement,
    check: (read) => {
      rows[nth] = [...read];
    },
  }));
  const puts = conditional.map(({ statement, operation }): GuardStep<AnyRow> => ({
    statement,
    check: (written) => {
      if (written.length > 0) return;
      conflict = operation;
      throw conflictOf(operation, 0);
    },
  }));
  try {
    const [only] = conditional;
    const isAlone = conditional.length + readings.length + statements.length === 1;
    if (isAlone && only !== undefined) {
      // A single statement needs no BEGIN and COMMIT around it.
      puts[0]?.check?.(await sendAlone(call, only.statement));
    } else {
      await runTransaction(call, { guard: [...reads, ...guard, ...puts] as GuardStep[], statements });
    }
    return rows;
  } catch (error) {
    if (!(error instanceof VersionConflictError) || conflict === undefined) throw error;
    const [stored] = await sendAlone(call, getItems(call.schema, [conflict], false));
    throw conflictOf(conflict, Number(stored?.version ?? 0));
  }
}

function conflictOf(operation: PutOperation, currentVersion: number): VersionConflictError {
  const { namespace, key, expectedVersion = 0 } = operation;
  return new VersionConflictError({ namespace, key, expectedVersion, currentVersion });
}

function readingsOf(
  call: StoreCall,
  operations: readonly StoreOperation[],
  embedded: EmbeddedSearches,
): Reading[] {
  const gets = groupEqual(operations, isGet, (get) => itemId(get, String(get.refreshes)));
  const searches = groupEqual(operations, isSearch);
  const lists = groupEqual(operations, isList);
  return [
    ...[true, false].flatMap((refreshes) =>
      readItems(
        call,
        gets.filter(({ operation }) => operation.refreshes === refreshes),
        refreshes,
      ),
    ),
    ...(embedded.state === undefined ? [] : [{ ...embedded.state, answers: [] }]),
    ...searches.map(({ operation, positions }) => search(call, embedded.of(operation), positions)),
    ...lists.map(({ operation, positions }) => list(call, operation, positions)),
  ];
}

/** One statement for all items that are read by their keys. */
function readItems(call: StoreCall, gets: readonly Grouped<GetOperation>[], refreshes: boolean): Reading[] {
  if (gets.length === 0) return [];
  const keys = gets.map(({ operation }) => operation);
  let found: ReadonlyMap<string, StoreRow> | undefined;
  const answers = gets.map(({ operation, positions }): Answer => ({
    positions,
    resultOf: (rows) => {
      found ??= new Map(rows.flatMap((row) => ("value" in row ? [[itemId(row), row]] : [])));
      const row = found.get(itemId(operation));
      return row === undefined ? null : toItem(call, row);
    },
  }));
  return [{ statement: getItems(call.schema, keys, refreshes), answers }];
}

function search(call: StoreCall, operation: ItemSearch, positions: readonly number[]): Reading {
  const resultOf = (rows: readonly AnyRow[]) =>
    Promise.all(rows.flatMap((row) => ("score" in row ? [toFoundItem(call, row)] : [])));
  return { statement: searchItems(call.schema, operation), answers: [{ positions, resultOf }] };
}

function list(call: StoreCall, operation: ListOperation, positions: readonly number[]): Reading {
  const resultOf = (rows: readonly AnyRow[]) =>
    rows.flatMap((row) => ("prefix" in row ? [withoutRoot(call, toNamespace(row.prefix))] : []));
  return { statement: listItemNamespaces(call.schema, operation), answers: [{ positions, resultOf }] };
}

/** Stores and deletes items, each of them once, whatever their versions: all of them or none. */
export async function storeItemWrites(base: StoreCall, writes: readonly EncodedItemWrite[]): Promise<void> {
  const puts = writes.filter((write) => write.kind === "put");
  const deletions = writes.filter((write) => write.kind === "delete");
  const rows = puts.map(({ row }) => row);
  const statements = writingStatements(base, rows, deletions);
  const embedded = puts.map((put) => put.embedded);
  const call = writingItems(base, writes);
  await withVectors(call, embedded, (plan) => send(call, [], { conditional: [], statements }, plan));
}

async function encodeWrites(call: StoreCall, operations: readonly WriteOperation[]): Promise<Writes> {
  const { channel } = call.settings;
  const last = new Map<string, WriteOperation>();
  for (const operation of operations) last.set(itemId(operation), operation);
  const puts: PutRow[] = [];
  const conditional: ConditionalPut[] = [];
  const deletions: WriteOperation[] = [];
  const embedded: EmbeddedItem[] = [];
  for (const operation of last.values()) {
    if (operation.kind === "delete") {
      deletions.push(operation);
      continue;
    }
    const { expectedVersion } = operation;
    const put = await encodeItemPut(call, operation);
    embedded.push(put.embedded);
    if (expectedVersion === undefined) puts.push(put.row);
    else conditional.push({ operation, statement: putIf(call.schema, put.row, expectedVersion, channel) });
  }
  return { conditional, statements: writingStatements(call, puts, deletions), embedded };
}

function writingStatements(
  call: StoreCall,
  puts: readonly PutRow[],
  deletions: readonly ItemKey[],
): BoundStatement<AnyRow>[] {
  return writeItems(call.schema, puts, deletions, call.settings.channel, knownEmbeddings(call));
}

/** Equal operations, with their positions in the batch. */
interface Grouped<Operation> {
  readonly operation: Operation;
  readonly positions: readonly number[];
}

function groupEqual<Operation extends StoreOperation>(
  operations: readonly StoreOperation[],
  isOfKind: (operation: StoreOperation) => operation is Operation,
  keyOf: (operation: Operation) => string = JSON.stringify,
): Grouped<Operation>[] {
  const groups = new Map<string, { operation: Operation; positions: number[] }>();
  for (const [position, operation] of operations.entries()) {
    if (!isOfKind(operation)) continue;
    const id = keyOf(operation);
    const group = groups.get(id) ?? { operation, positions: [] };
    group.positions.push(position);
    groups.set(id, group);
  }
  return [...groups.values()];
}
