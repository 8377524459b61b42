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
  const attempt = async (relies: boolean): Promise<T> =>
    send(await planVectors(call, vectors, items, relies));
  return explainingMismatch(call, vectors, async () => {
    try {
      return await attempt(true);
    } catch (error) {
      if (!(error instanceof VectorsChangedError)) throw error;
      return attempt(false);
    }
  });
}
