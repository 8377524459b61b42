import type { ThreadSaver } from "@langchain/langgraph-api/experimental/embed";
import type { PostgresConversations } from "../../src/conversations/index.js";
import type { PostgresSaver } from "../../src/index.js";

/** Does not compile where LangGraph's server wants other records of threads. */
export const ofConversations = (conversations: PostgresConversations): ThreadSaver => conversations;

// @ts-expect-error What has no records is refused, so the line above says something.
export const ofSaver = (saver: PostgresSaver): ThreadSaver => saver;
