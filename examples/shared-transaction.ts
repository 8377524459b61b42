import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { Kysely } from "kysely";
import { type CheckpointDatabase, PostgresSaver } from "../src/index.js";

/** The application's own tables. */
export interface ShopDatabase {
  orders: { id: string; item: string };
}

/** Tells whether the shop has an item in stock. */
export type Stock = (item: string) => boolean;

/**
 * Places an order and confirms it in the conversation about it, both or neither: the row and the checkpoints are
 * committed by one transaction, so that a confirmation is never read for an order that does not exist.
 *
 * @param db - The application's Kysely, with the checkpoint tables beside its own.
 * @throws Error when the item is not in stock; nothing is stored then.
 *
 * @example
 * ```ts
 * const pool = handlePoolErrors(new pg.Pool({ connectionString: process.env.DATABASE_URL }));
 * const db = new Kysely<ShopDatabase & CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
 * const confirmation = await placeOrder(db, { id: "order-1", item: "lamp" }, (item) => item === "lamp");
 * ```
 */
export async function placeOrder(
  db: Kysely<ShopDatabase & CheckpointDatabase>,
  order: ShopDatabase["orders"],
  stock: Stock,
): Promise<string> {
  return db.transaction().execute(async (transaction) => {
    await transaction.insertInto("orders").values(order).execute();
    const clerk = createClerk(new PostgresSaver(transaction), stock);
    const { messages } = await clerk.invoke(
      { messages: [new HumanMessage(order.item)] },
      { configurable: { thread_id: order.id } },
    );
    return messages.at(-1)?.text ?? "";
  });
}

function createClerk(checkpointer: PostgresSaver, stock: Stock) {
  return new StateGraph(MessagesAnnotation)
    .addNode("confirm", ({ messages }: typeof MessagesAnnotation.State) => {
      const item = messages.at(-1)?.text ?? "";
      if (!stock(item)) throw new Error(`${item}: not in stock`);
      return { messages: [new AIMessage(`Your ${item} is on its way`)] };
    })
    .addEdge(START, "confirm")
    .compile({ checkpointer });
}
