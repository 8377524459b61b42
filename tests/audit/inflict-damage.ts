import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import type { PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import type { TestDatabase } from "../../test-support/targets.js";
import { type Damage, DAMAGES, type StoredRow } from "./damages.js";

const KEYS = {
  checkpoints: ["checkpoint_ns", "checkpoint_id"],
  checkpoint_blobs: ["checkpoint_ns", "channel", "version"],
  checkpoint_writes: ["checkpoint_ns", "checkpoint_id", "task_id", "idx"],
} as const;

/** A damage, and where it is done. */
export interface DrawnDamage {
  readonly damage: Damage | "tombstone";
  readonly row: number;
  readonly n: number;
}

/** Each change of SQL, or a tombstone, at any row. */
export const anyDamage: fc.Arbitrary<DrawnDamage> = fc.record({
  damage: fc.constantFrom<Damage | "tombstone">(...DAMAGES, "tombstone"),
  row: fc.nat(1_000),
  n: fc.nat(100_000),
});

/** Changes one of the rows that the damage can be done to, and returns the statement. */
export async function inflict(
  database: TestDatabase,
  thread: string,
  { damage, row, n }: DrawnDamage,
  encrypted: 0 | 1 = 0,
): Promise<string> {
  if (damage === "tombstone") {
    const insert = "insert into checkpoint_tombstones (thread_id) values ($1)";
    await database.query(insert, [thread]);
    return insert;
  }
  const { table, set, fits = () => true } = damage;
  const columns =
    table === "checkpoints" ? "metadata::text" : table === "checkpoint_blobs" ? "type, base" : "type";
  const found = await database.query<StoredRow>(
    `select ${KEYS[table].join()}, ${columns} from ${table} where thread_id = $1 order by ${KEYS[table].join()}`,
    [thread],
  );
  const rows: StoredRow[] = found.map((each) => ({ ...each, encrypted }));
  const fitting = rows.filter((each) => fits(each, rows));
  const chosen = fitting[row % fitting.length];
  if (chosen === undefined) return "no row fits";
  const key = KEYS[table].map((column, index) => `${column} = $${index + 2}`).join(" and ");
  const change = set === undefined ? `delete from ${table}` : `update ${table} set ${set(n, chosen)}`;
  const statement = `${change} where thread_id = $1 and ${key}`;
  const values = KEYS[table].map((column) => chosen[column]);
  await database.query(statement, [thread, ...values]);
  return `${statement}: ${JSON.stringify(values)}`;
}

/** Stores checkpoints that each have a row of a value to themselves: what one without such a row references can't be told. */
export async function putOrigin(saver: PostgresSaver, thread: string): Promise<void> {
  let list = [text(6_000)];
  let last = await putValues(saver, threadConfig(thread), { list, step: [0], draft: ["…"] });
  for (const step of [1, 2, 3]) {
    await saver.putWrites(last.config, [["list", [`${step}`]], [INTERRUPT, []]], `task ${step}`); // oxfmt-ignore
    list = [...list, text(200)];
    last = await putValues(saver, last.config, { list, step: [step] }, last.checkpoint);
  }
  const inner = checkpointOf(saver, { step: ["inner"] });
  const parents = { "": last.checkpoint.id };
  const config = threadConfig(thread, { checkpoint_ns: "sub:1" });
  await saver.put(config, inner, metadataOf(0, { parents }), allVersions(inner));
}
