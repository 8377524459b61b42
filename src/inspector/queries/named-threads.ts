import { sql, type SqlBool } from "kysely";
import { containsPattern } from "../../db/contains-pattern.js";
import type { CallContext } from "../../db/call-context.js";
import { runTransaction } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { conversationsWith } from "./conversations.js";
import { byIndex } from "./threads-with-words.js";
import { runUncompiled } from "../../db/statements/run-uncompiled.js";

/** More threads than that are no answer to a search. */
const MAX_THREADS = 20_000;

interface IdRow {
  readonly thread_id: string;
}

/** Finds the threads whose ids contain one of some texts, in any case. It reads the index entries of all checkpoints. */
export async function threadsWithIds(
  call: CallContext,
  texts: readonly string[],
): Promise<readonly string[] | undefined> {
  return idsIn(await runUncompiled(call, withIds, { patterns: texts.map(containsPattern) }));
}

const withIds = new Statement<{ readonly patterns: readonly string[] }, IdRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .where(sql<SqlBool>`thread_id ilike any (${parameter("patterns")}::text[])`)
    .select("thread_id")
    .groupBy("thread_id")
    .limit(sql.lit(MAX_THREADS + 1)),
);

/** Finds the threads whose conversations contain a text in their metadata, in any case. It reads all conversations. */
export async function threadsWithTitles(
  call: CallContext,
  text: string,
): Promise<readonly string[] | undefined> {
  return idsIn(await conversationsWith(call, { pattern: containsPattern(text), limit: MAX_THREADS + 1 }));
}

/**
 * Finds the threads of which some checkpoint has one of some facts in its metadata. Only use it with the `metadata-index`.
 *
 * @param facts - JSON texts, each an object.
 */
export async function threadsWithFacts(
  call: CallContext,
  facts: readonly string[],
): Promise<readonly string[] | undefined> {
  const [rows = []] = await runTransaction(call, {
    guard: [{ statement: byIndex.bind(call.schema, {}) }],
    statements: [withFacts.bind(call.schema, { facts })],
  });
  return idsIn(rows);
}

const withFacts = new Statement<{ readonly facts: readonly string[] }, IdRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .where(sql<SqlBool>`metadata @> any (${parameter("facts")}::text[]::jsonb[])`)
    .select("thread_id")
    .groupBy("thread_id")
    .limit(sql.lit(MAX_THREADS + 1)),
);

function idsIn(rows: readonly IdRow[]): readonly string[] | undefined {
  return rows.length > MAX_THREADS ? undefined : rows.map(({ thread_id: id }) => id);
}
