export { PostgresConversations } from "./postgres-conversations.js";
export type { PostgresConversationsOptions } from "./boundary.js";
export type {
  Conversation,
  ConversationChange,
  ConversationQuery,
  FoundConversation,
} from "./conversation.js";
export { ConversationNotFoundError } from "../errors/conversation-errors.js";
