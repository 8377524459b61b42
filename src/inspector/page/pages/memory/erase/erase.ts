import type { NamespaceSums } from "../../../../api/memory.js";
import { write } from "../../../server/call-server.js";

/** A thread, or a namespace with all below it. */
export type Erasable = { readonly threadId: string } | NamespaceSums;

/** How many items were deleted, or why nothing was. */
export type ErasedOutcome = { readonly items: number } | { readonly error: unknown };

/** Deletes a thread or a namespace. */
export async function erase(target: Erasable): Promise<ErasedOutcome> {
  try {
    if ("namespace" in target) {
      const { namespace, items } = target;
      return await write("deleteItems", { namespace, items });
    }
    await write("deleteThread", target);
    return { items: 0 };
  } catch (error) {
    return { error };
  }
}
