import { DatabaseError } from "../../errors/index.js";
import { REFUSED_STATE } from "../queries/embedding-state.js";
import { checkEmbeddings, explainingMismatch } from "./embedding-check.js";
import { planVectors, type VectorPlan, VectorsChangedError } from "./plan-vectors.js";
import type { StoreCall } from "../store-call.js";
import type { EmbeddedItem } from "./wanted-vectors.js";

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
