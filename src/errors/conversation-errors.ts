import { CheckpointError } from "./checkpoint-error.js";

/**
 * A thread has no record of a conversation.
 *
 * @remarks Store one with `set`.
 *
 * @example
 * ```ts
 * try {
 *   await threads.get(threadId);
 * } catch (error) {
 *   if (!(error instanceof ConversationNotFoundError)) throw error;
 *   await threads.set(threadId, { kind: "put" });
 * }
 * ```
 */
export class ConversationNotFoundError extends CheckpointError {
  override name = "ConversationNotFoundError";

  constructor(threadId: string) {
    super("CONVERSATION_NOT_FOUND", `thread "${threadId}" has no record of a conversation`, { threadId });
  }

  /** The response of a server: Hono, and so LangGraph's `createEmbedServer`, asks an error for it. Its status is 404. */
  getResponse(): Response {
    return Response.json({ error: this.message }, { status: 404 });
  }
}
