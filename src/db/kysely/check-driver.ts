import { inspect } from "node:util";
import { type Kysely, sql } from "kysely";
import { InvalidConfigError } from "../../errors/index.js";
import type { CheckpointDatabase } from "../checkpoint-database.js";
import type { RunContext } from "../statements/transaction-steps.js";
import { Statement } from "../statements/statement.js";
import { executeThroughKysely } from "./send-through-kysely.js";

/** The adapters of which the driver is known to send and return what this library expects. A Kysely shares it with its transactions. */
const checked = new WeakSet<object>();

const SENT = {
  text: 'a"\\',
  json: '{"a":[1]}',
  bytes: [new Uint8Array([0, 255]), null],
  words: ["null", null, 'b"\\'],
};

/** One value of each type that this library's queries select, in columns whose names a driver may want to change. */
const EXPECTED = {
  sent_text: SENT.text,
  json_type: "object",
  sent_bytes: "00ff",
  are_words: true,
  is_false: false,
  a_count: -1,
  a_part: 0.5,
  no_value: null,
};

/**
 * Checks, before the first statement of a passed-in Kysely, whether its driver sends parameters and returns rows as expected: it may
 * rename columns, or have parsers of the application. Otherwise values would be stored that nobody can read.
 *
 * @throws InvalidConfigError that names what differs.
 */
export async function checkDriver(
  kysely: Kysely<CheckpointDatabase>,
  { signal, statementTimeoutMs }: RunContext,
): Promise<void> {
  const { adapter } = kysely.getExecutor();
  if (checked.has(adapter)) return;
  const [row] = await executeThroughKysely(kysely, probe.bind("", SENT), { signal, statementTimeoutMs });
  for (const [name, expected] of Object.entries(EXPECTED)) {
    const found: unknown = Object.getOwnPropertyDescriptor(row ?? {}, name)?.value;
    if (found !== expected) throw differs(name, expected, found);
  }
  checked.add(adapter);
}

const probe = new Statement<typeof SENT, object>((db, parameter) =>
  db.selectNoFrom([
    sql<string>`${parameter("text")}::text`.as("sent_text"),
    sql<string>`jsonb_typeof(${parameter("json")}::jsonb)`.as("json_type"),
    sql<string>`(select string_agg(encode(item, 'hex'), ',') from unnest(${parameter("bytes")}::bytea[]) as item)`.as(
      "sent_bytes",
    ),
    sql<boolean>`${parameter("words")}::text[] = array['null', null, 'b"' || chr(92)]`.as("are_words"),
    sql<boolean>`false`.as("is_false"),
    sql<number>`(-1)::integer`.as("a_count"),
    sql<number>`0.5::float8`.as("a_part"),
    sql<string | null>`null::text`.as("no_value"),
  ]),
);

function differs(column: string, expected: unknown, found: unknown): InvalidConfigError {
  return new InvalidConfigError(
    "source",
    `the driver returns ${inspect(found)} for ${inspect(expected)} in the column "${column}" of a query that checks it. It must ` +
      "not rename columns, and read texts, booleans, integers and floats as strings, booleans and numbers. Leave out the options " +
      "that change it, such as `transform` or `types`, or pass a pg.Pool",
  );
}
