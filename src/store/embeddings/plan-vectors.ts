import type { BoundStatement } from "../../db/statements/statement.js";
import { groupBy } from "../../db/group-by.js";
import { CheckpointError, DatabaseError } from "../../errors/index.js";
import type { GuardStep } from "../../db/statements/transaction-steps.js";
import { checkEmbeddings, explainingMismatch, stateStep } from "./embedding-check.js";
import { type ItemKey } from "../queries/item-rows.js";
import { embedTexts, type VectorsByText, type VectorSettings } from "./embed-texts.js";
import { REFUSED_STATE } from "../queries/embedding-state.js";
import { itemVersions } from "../queries/get-items.js";
import { IN_PLACE, replaceVectors, vectorHashes, type VectorHashRow } from "../queries/stored-vectors.js";
import { sendAlone, type StoreCall } from "../store-call.js";
import {
  type EmbeddedItem,
  wantedVectors,
  StoredVectors,
  toRow,
  type WantedVector,
} from "./wanted-vectors.js";

/** What a transaction has to do about the vectors of the items that it stores. */
export interface VectorPlan {
  /**
   * Goes before the writes of a transaction that must remain usable, or that is sent in several round trips: it refuses before anything
   * is written. The writes refuse by themselves what it refuses, but fail.
   */
  readonly guard: readonly GuardStep[];
  /** Follow the writes. */
  readonly statements: readonly BoundStatement<ItemKey>[];
  /** How many texts were embedded. */
  readonly embedded: number;
}

/** Another call has replaced vectors that a plan relies on, before its transaction began. */
class VectorsChangedError extends CheckpointError {
  override name = "VectorsChangedError";
  constructor() {
    super("VECTORS_CHANGED", "another call has replaced vectors of the same item");
  }
}

/**
 * Embeds the texts of items, except those whose vectors are stored already, and plans how the vectors replace the stored ones. The model
 * is called for each caller in the async context of that caller. It holds no connection meanwhile.
 *
 * @param relies - Whether stored vectors of unchanged texts may be kept.
 * @param items - No key may occur twice.
 * @throws InvalidEmbeddingError as {@link embedTexts}.
 */
async function planVectors(
  call: StoreCall,
  vectors: VectorSettings,
  items: readonly EmbeddedItem[],
  relies: boolean,
): Promise<VectorPlan> {
  const each = items.map((item) => ({ item, wanted: wantedVectors(vectors, item) }));
  const wanted = each.flatMap((entry) => entry.wanted);
  const withTexts = each.flatMap((entry) =>
    entry.wanted.some(({ hash }) => hash !== null) ? [entry.item] : [],
  );
  const stored = new StoredVectors(
    relies && withTexts.length > 0 ? await sendAlone(call, vectorHashes(call.schema, withTexts)) : [],
  );
  const ofCallers = [...groupBy(each, ({ item }) => item.caller)].map(([caller, entries]) => {
    const rows = entries.flatMap((entry) => entry.wanted);
    return { caller, rows, missing: rows.flatMap((row) => (stored.has(row) ? [] : (row.text ?? []))) };
  });
  const embedded = await allSettled(
    ofCallers.map(async ({ caller, missing }) => {
      const embed = () => embedTexts(vectors, missing, call.signal);
      return caller === undefined ? embed() : caller.runInAsyncScope(embed);
    }),
  );
  const rows = ofCallers.flatMap((ofCaller, nth) =>
    ofCaller.rows.map((row) =>
      stored.hasInPlace(row)
        ? { ...row, vector: IN_PLACE }
        : toRow(vectors, row, stored.has(row), embedded[nth] ?? NOTHING_EMBEDDED),
    ),
  );
  const relied = wanted.filter((row) => stored.has(row));
  return {
    guard: [stateStep(call, vectors), ...reliedSteps(call, items, relied, stored)],
    statements: [replaceVectors(call.schema, vectors.layout.type, items, rows)],
    embedded: embedded.reduce((sum, { size }) => sum + size, 0),
  };
}

const NOTHING_EMBEDDED: VectorsByText = new Map();

/** Waits until all of them have settled, so that no model works for a call that has failed. */
async function allSettled<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}

/** Locks the items, and refuses the transaction where another call has replaced the vectors that it relies on. */
function reliedSteps(
  call: StoreCall,
  items: readonly ItemKey[],
  relied: readonly WantedVector[],
  stored: StoredVectors,
): GuardStep[] {
  if (relied.length === 0) return [];
  const hashes: GuardStep<VectorHashRow> = {
    statement: vectorHashes(call.schema, items),
    check: (rows) => {
      const now = new StoredVectors(rows);
      const isKept = (row: WantedVector): boolean =>
        stored.hasInPlace(row) ? now.hasInPlace(row) : now.has(row);
      if (!relied.every(isKept)) throw new VectorsChangedError();
    },
  };
  // Two statements, because the second one sees what was committed while the first one waited.
  return [{ statement: itemVersions(call.schema, items) }, hashes];
}

const NOTHING: VectorPlan = { guard: [], statements: [], embedded: 0 };

/**
 * Runs a transaction that stores items, together with what replaces their vectors. Where another call replaces vectors of the same items
 * at the same moment, it runs once more, with a new vector for each text.
 *
 * @param items - The items that the transaction stores.
 * @throws EmbeddingMismatchError where the tables have other embeddings than those of the store.
 * @throws InvalidEmbeddingError for vectors that can't be stored. Nothing is stored then.
 */
export async function withVectors<T>(
  call: StoreCall,
  items: readonly EmbeddedItem[],
  send: (plan: VectorPlan) => Promise<T>,
): Promise<T> {
  const { vectors } = call.settings;
  if (vectors === undefined) return send(NOTHING);
  if (items.length === 0) return explainingMismatch(call, vectors, () => send(NOTHING));
  await checkEmbeddings(call, vectors);
  const attempt = (relies: boolean): Promise<T> =>
    explainingMismatch(call, vectors, async () => send(await planVectors(call, vectors, items, relies)));
  try {
    return await attempt(true);
  } catch (error) {
    if (!isRefused(error)) throw error;
    return attempt(false);
  }
}

/** Whether a transaction has been refused, perhaps because another call has replaced vectors that it relies on. */
function isRefused(error: unknown): boolean {
  const isFailed = error instanceof DatabaseError && error.sqlState === REFUSED_STATE;
  return isFailed || error instanceof VectorsChangedError;
}
