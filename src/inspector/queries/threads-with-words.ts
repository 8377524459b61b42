import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runTransaction } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { isReadable, jsonWords, storedWords } from "../../db/stored-words.js";
import { literals } from "./literals.js";
import { OPEN_CHANNELS } from "../values/trigger-channels.js";

/** The most rows with some words whose threads are found. */
const MAX_ROWS = 20_000;

/**
 * Finds the threads in which something stored has some words: a value of any version, or an interrupt or an error of any checkpoint. Only
 * use it with the `text-index`.
 *
 * @param words - The forms of each word, as `wordsOf` returns them. The last one may be the beginning of a word.
 * @returns `undefined` where the words are too short, or in so many rows that an index is of no use.
 */
export async function threadsWithWords(
  call: CallContext,
  words: readonly (readonly string[])[],
): Promise<readonly string[] | undefined> {
  const query = wordsQuery(words);
  if (query === undefined) return undefined;
  const [rows = []] = await runTransaction(call, {
    guard: [{ statement: byIndex.bind(call.schema, {}) }],
    statements: [found.bind(call.schema, { words: query })],
  });
  if (rows.some(({ is_beyond: isBeyond }) => isBeyond)) return undefined;
  return [...new Set(rows.map(({ thread_id: id }) => id))];
}

/** The beginning of a word that is shorter is that of too many. */
const MIN_BEGINNING = 3;

/** All of these words, as the text of a tsquery. Returns `undefined` where they are too short. */
export function wordsQuery(words: readonly (readonly string[])[]): string | undefined {
  const last = words.length - 1;
  const parts = words.flatMap((forms, index) => {
    if (index < last) return [forms.join(" | ")];
    const isLong = forms.every(({ length }) => length >= MIN_BEGINNING);
    return isLong ? [forms.map((form) => `${form}:*`).join(" | ")] : [];
  });
  return parts.length === 0 ? undefined : parts.map((part) => `(${part})`).join(" & ");
}

interface FoundRow {
  readonly thread_id: string;
  /** Whether there are more rows than are looked at. */
  readonly is_beyond: boolean;
}

const found = new Statement<{ readonly words: string }, FoundRow>((db, parameter) => {
  const query = sql`to_tsquery('simple'::regconfig, ${parameter("words")})`;
  return db
    .with("found", (qb) =>
      qb
        .selectFrom((eb) => {
          const values = eb
            .selectFrom("checkpoint_blobs")
            .where(sql<SqlBool>`${storedWords(sql`blob`)} @@ ${query} and ${isReadable}`)
            .select("thread_id");
          const headers = eb
            .selectFrom("checkpoints")
            .where(sql<SqlBool>`${jsonWords(sql`checkpoint -> 'channel_values'`)} @@ ${query}`)
            .select("thread_id");
          const writes = eb
            .selectFrom("checkpoint_writes")
            .where("channel", "in", literals(OPEN_CHANNELS))
            .where(sql<SqlBool>`${storedWords(sql`blob`)} @@ ${query} and ${isReadable}`)
            .select("thread_id");
          return values.unionAll(headers).unionAll(writes).as("each");
        })
        .select("each.thread_id")
        .limit(sql.lit(MAX_ROWS + 1)),
    )
    .selectFrom("found")
    .groupBy("found.thread_id")
    .select("found.thread_id")
    .select(sql<boolean>`(select count(*) from found) > ${sql.lit(MAX_ROWS)}`.as("is_beyond"));
});

/**
 * Without statistics of the words, Postgres may take reading a whole table for the faster way. A bitmap that has no room in memory
 * makes it work out the words of whole pages again.
 */
export const byIndex = new Statement<object, { readonly setting: string }>((db) =>
  db.selectNoFrom([
    sql<string>`set_config('enable_seqscan', 'off', true)`.as("setting"),
    sql<string>`set_config('work_mem', '64MB', true)`.as("memory"),
    sql<string>`set_config('jit', 'off', true)`.as("jit"),
  ]),
);
