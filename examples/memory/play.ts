import { randomBytes } from "node:crypto";
import type { PGlite } from "@electric-sql/pglite";
import { HumanMessage } from "@langchain/core/messages";
import type pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { announce, say } from "../demo/narrator.js";
import { DIMS, LetterEmbeddings } from "./letter-embeddings.js";
import { createMemoryAgent } from "./memory-agent.js";
import { INTRODUCTION } from "./memory-script.js";

/** A message of a user, and what the agent answers. */
interface Turn {
  readonly title: string;
  readonly user: "ada" | "bob";
  readonly message: string;
  readonly answer: string;
}

/** Each turn is a thread of its own, so that nothing of it is known in the next one but what the store has. */
const TURNS: readonly Turn[] = [
  { title: "Monday, Ada introduces herself", user: "ada", message: INTRODUCTION, answer: "Noted." },
  {
    title: "Friday, in another thread",
    user: "ada",
    message: "Which noodles have no peanut?",
    answer: "I keep in mind that my user is allergic to peanuts.",
  },
  {
    title: "Saturday, in a third one",
    user: "ada",
    message: "Is there a night train to Vienna?",
    answer: "I keep in mind that my user prefers trains to planes.",
  },
  {
    title: "Another user asks the same",
    user: "bob",
    message: "Which noodles have no peanut?",
    answer: "I know nothing about you.",
  },
];

/**
 * Lets an agent talk to two users in four threads, and prints what happens.
 *
 * @param database - What the saver and the store share.
 * @throws Error where the agent remembers something else than it should.
 */
export async function playMemory(database: pg.Pool | PGlite): Promise<void> {
  const checkpointer = new PostgresSaver(database);
  const store = new PostgresStore(database, {
    index: { dims: DIMS, embeddings: new LetterEmbeddings(), fields: ["fact"] },
  });
  await checkpointer.setup();
  const agent = createMemoryAgent(checkpointer, store);
  for (const { title, user, message, answer } of TURNS) {
    const thread = randomBytes(3).toString("hex");
    announce(`${title} (thread ${thread})`);
    say(user, `“${message}”`, "green");
    const config = { configurable: { thread_id: thread, user_id: user } };
    const { messages, recalled } = await agent.invoke({ messages: [new HumanMessage(message)] }, config);
    say("recalled", recalled.length === 0 ? "nothing" : recalled.join(" and "));
    const answered = messages.at(-1)?.text ?? "";
    say("agent", `“${answered}”`, "yellow");
    if (answered !== answer) throw new Error(`The agent should have answered “${answer}”`);
  }
  announce("The memories, as the store has them");
  for (const { namespace, key, value } of await store.search(["users"])) {
    say(key, `${JSON.stringify(value)} in ${JSON.stringify(namespace)}`);
  }
}
