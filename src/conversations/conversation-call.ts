import { openCall } from "../db/open-call.js";
import type { DatabaseSource } from "../db/opened-database.js";
import type { ConversationDatabase } from "../db/checkpoint-database.js";
import { TABLES_OF_TENANTS } from "../db/tenant.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { operationsOf } from "../telemetry/running-calls.js";
import { parseOptions } from "./boundary.js";

/** The operations of conversations. */
export const conversationOperations = operationsOf({
  "conversations.setup": { table: "checkpoint_conversations_kysely_migration" },
  "conversations.get": { table: "checkpoint_conversations", isOnlyTable: true },
  "conversations.set": { table: "checkpoint_conversations", isOnlyTable: true },
  "conversations.touch": { table: "checkpoint_conversations", isOnlyTable: true },
  "conversations.delete": { table: "checkpoints" },
  "conversations.search": { table: "checkpoint_conversations", isOnlyTable: true },
});

/**
 * Checks the arguments of the constructor. It sends nothing. The call is that of a saver, since a conversation is deleted together with
 * its thread.
 *
 * @throws InvalidConfigError for an invalid source or option.
 */
export function openConversations(source: DatabaseSource<ConversationDatabase>, options: unknown): SaverCall {
  const parsed = parseOptions(options);
  const opened = openCall(source, parsed, TABLES_OF_TENANTS);
  const { keepTombstones } = parsed;
  return { ...opened, optionalTables: ["conversations"], policy: { ...opened.policy, keepTombstones } };
}
