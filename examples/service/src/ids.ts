import type { LangGraphRunnableConfig } from "@langchain/langgraph";

/**
 * The id of a thread in the database begins with its customer. So nobody reaches the thread of someone else by its name, and runs that a
 * person starts in the inspector know the customer too.
 */
export function threadIdOf(customer: string, thread: string): string {
  return `${customer}/${thread}`;
}

/** The customer whose thread a run continues. */
export function customerOf({ configurable }: LangGraphRunnableConfig): string {
  const threadId: unknown = configurable?.thread_id;
  const [customer = ""] = String(threadId).split("/");
  return customer;
}

/** The id of the answer to a message. */
export function answerTo(messageId: string): string {
  return `${messageId}:answer`;
}
