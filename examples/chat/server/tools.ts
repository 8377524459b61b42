import { tool } from "langchain";
import type { PostgresStore } from "langgraph-checkpoint-kysely/store";
import { z } from "zod";

/** Where the store keeps what the assistant knows. Where people sign in, the id of the person is a part of it. */
export const MEMORIES = ["memories", "you"];

/** The topic is the key, so that a newer fact about it replaces the older one. */
export const remember = (store: PostgresStore) =>
  tool(
    async ({ topic, fact }) => {
      await store.put(MEMORIES, topic, { fact });
      return `I remember that my user ${fact}`;
    },
    {
      name: "remember",
      description: "Remembers a fact about the user, for all later conversations",
      schema: z.object({ topic: z.string(), fact: z.string() }),
    },
  );

/** A person has to approve it. A real one gives the id of the call to the bank, since a step that is cut off runs again. */
export const refund = tool(
  ({ order, euros }) => `Order ${order} is refunded: ${euros} €, receipt ${crypto.randomUUID().slice(0, 6)}`,
  {
    name: "refund",
    description: "Pays an order back",
    schema: z.object({ order: z.string(), euros: z.number() }),
  },
);
