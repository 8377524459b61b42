import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import type { CommandDefinition } from "../../src/cli/command-definition.js";
import { COMMANDS } from "../../src/cli/commands/index.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { allRows } from "../backup/all-rows.js";
import { cliOn, SERVED } from "./cli.js";
import { put } from "./filled-database.js";
import { FILLED_SAVER } from "./filled-saver.js";

/** What a terminal obeys, and what changes what a person reads: colours too, since a stored text could imitate a report. */
const EVIL =
  "evil\u001b[31m\u001b[2J\u001b]0;t\u0007\u0008\r\n\u007f\u0085\u009b2J\u061c\u200e\u202e\u2028\u2066\u206a\ufeff";
const OBEYED = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff]/u;
const RUN = `run ${EVIL}`;
/** No label of a namespace has a period. */
const ITEM = `item ${EVIL}`;
/** These threads have no rows, rows of this thread alone, and rows that nothing of ours has written. */
const NONE = `none ${EVIL}`;
const OTHER = `other ${EVIL}`;
const DAMAGED = `zz ${EVIL}`;

/** The commands that print nothing of what is stored. */
const SILENT = ["estimate", "migrate", "store-copy", "store reembed", "store sweep"];
/** A command on other databases, whose own test looks at what it prints. */
const ELSEWHERE = "store-verify";

/** Command lines for every other command, in an order in which each finds what it prints. Words in capitals stand for what the test makes. */
const COMMAND_LINES: readonly (readonly string[])[] = [
  ["threads", "--limit", "1"],
  ["threads"],
  ["show", EVIL],
  ["show", EVIL, "--namespace", EVIL],
  ["show", DAMAGED],
  ["state", EVIL],
  ["state", EVIL, "ID"],
  ["state", EVIL, EVIL],
  ["state", DAMAGED],
  ["diff", EVIL, "head~1", "head"],
  ["writes", EVIL],
  ["stats"],
  ["stats", EVIL],
  ["stats", EVIL, "--namespace", EVIL],
  ["stats", "--since", "2000-01-01"],
  ["inspect"],
  ["copy", NONE, OTHER],
  ["copy", EVIL, OTHER],
  ["copy", EVIL, `${EVIL}3`],
  ["prune", EVIL, "--dry-run"],
  ["delete", EVIL, NONE, "--dry-run"],
  ["delete-runs", RUN, "--dry-run"],
  ["expand", EVIL, NONE],
  ["compact", EVIL, NONE],
  ["sanitize", EVIL, NONE],
  ["verify"],
  ["verify", EVIL],
  ["repair", "--dry-run"],
  ["doctor"],
  ["export"],
  ["export", EVIL, NONE],
  ["import", "FILE"],
  ["import", "FILE", "--check"],
  ["copy-from", "SOURCE", NONE],
  ["copy-from", "SOURCE", EVIL],
  ["store", "namespaces", "--limit", "1"],
  ["store", "search", "--limit", "1"],
  ["store", "search", ITEM, "--query", "evil"],
  ["store", "get", ITEM, ITEM],
  ["store", "get", ITEM, NONE],
  ["store", "put", ITEM, ITEM, "{}", "--if-version", "7"],
  ["store", "put", ITEM, `other ${ITEM}`, "{}"],
  ["store", "export"],
  ["store", "import", "ITEMS"],
  ["store", "delete", ITEM, NONE, "--yes"],
  ["fork", EVIL],
  ["rollback", EVIL, "head~1"],
  ["prune", EVIL, NONE, "--yes"],
  ["archive", EVIL, NONE, "--to", "FOLDER", "--yes"],
  ["restore", EVIL, NONE, "--from", "FOLDER"],
  ["delete", EVIL, OTHER, NONE, "--tombstones", "--yes"],
  ["tombstones", "--limit", "1"],
  ["restore", EVIL, "--from", "FOLDER"],
  ["tombstones", "lift", EVIL, NONE, "--yes"],
];

describeAnyTarget("stored text that a terminal would obey", (target) => {
  it.each([
    ["as text, with errors in full", "--verbose"],
    ["as JSON", "--json"],
  ])("is escaped in what every command prints: %s", async (_what, ...form) => {
    const database = await target.migratedDatabase();
    const folder = await mkdtemp(join(tmpdir(), "checkpoint-hostile-"));
    const run = (argv: readonly string[]) => cliOn(database, { interruptAt: SERVED })(...argv);
    const inFolder = (name: string) => join(folder, name);
    const places = new Map([
      ["ID", await fill(database)],
      ["FOLDER", folder],
      ["FILE", inFolder("backup.ndjson")],
      ["ITEMS", inFolder("items.ndjson")],
      ["SOURCE", inFolder("saver.mjs")],
    ]);
    await run(["export", "--output", inFolder("backup.ndjson")]);
    await run(["store", "export", "--output", inFolder("items.ndjson")]);
    await writeFile(inFolder("saver.mjs"), HOSTILE_SAVER);
    for (const argv of COMMAND_LINES) {
      const { stdout, stderr } = await run([...argv.map((word) => places.get(word) ?? word), ...form]);
      expect({ argv, obeyed: OBEYED.exec(`${stdout}${stderr}`) }).toEqual({ argv, obeyed: null });
    }
    await rm(folder, { recursive: true });
  });

  it("comes back from an export as it was, though the export has no such character", async () => {
    const database = await target.migratedDatabase();
    await fill(database);
    const before = [await allRows(database), await itemsOf(database)];
    const [threads, items] = [await cliOn(database)("export"), await cliOn(database)("store", "export")];
    await database.exec("truncate checkpoints, checkpoint_blobs, checkpoint_writes, store");
    for (const [argv, stdin] of [
      [["import"], threads.stdout],
      [["store", "import"], items.stdout],
    ] as const) {
      expect(await cliOn(database, { stdin })(...argv)).toMatchObject({ code: 0 });
    }
    expect([await allRows(database), await itemsOf(database)]).toEqual(before);
  });

  it("is tested with every command but those that print none", () => {
    const tested = COMMAND_LINES.map(([name, ...rest]) =>
      name === "store" ? `store ${rest[0] ?? ""}` : name,
    );
    expect(new Set([...tested, ...SILENT, ELSEWHERE])).toEqual(new Set(COMMANDS.flatMap(namesOf)));
  });
});

/** A module that `copy-from` loads. */
const HOSTILE_SAVER = `${FILLED_SAVER}
const evil = ${JSON.stringify(EVIL)};
const empty = { v: 4, id: evil, ts: "2024-01-01T00:00:00.000Z", channel_values: {}, channel_versions: {}, versions_seen: {} };
await saver.put({ configurable: { thread_id: evil, checkpoint_ns: "" } }, empty, metadata, {});
export default saver;
`;

/** Stores the text in every place that holds text, and returns the newest checkpoint of a thread. */
async function fill(database: TestDatabase): Promise<string> {
  await using saver = new PostgresSaver(database.source);
  await using store = new PostgresStore(database.source);
  const metadata = { source: EVIL, run_id: RUN, [EVIL]: EVIL };
  const values = {
    [EVIL]: { [EVIL]: [EVIL] },
    m: [new HumanMessage({ content: EVIL, id: EVIL, name: EVIL })],
  };
  const newest: string[] = [];
  for (const checkpoint_ns of [EVIL, ""]) {
    const config = threadConfig(EVIL, { checkpoint_ns });
    const first = await put(saver, config, { n: 1 }, undefined, -1, metadata);
    await saver.putWrites(first.config, [[EVIL, EVIL]], EVIL, EVIL);
    const second = await put(saver, first.config, values, first.checkpoint, 0, metadata);
    await saver.putWrites(second.config, [[INTERRUPT, [{ value: EVIL, id: EVIL }]]], EVIL, EVIL);
    newest.unshift(second.checkpoint.id);
  }
  await put(saver, threadConfig(OTHER), { n: 1 }, undefined, -1);
  await store.put([ITEM, ITEM], ITEM, { [EVIL]: EVIL });
  await store.put([ITEM], ITEM, { [EVIL]: EVIL });
  // What another program has stored or damaged: a type, a version and the id of a checkpoint.
  await database.query("insert into checkpoint_blobs values ($1, $2, $2, $2, $2, $3)", [
    ...[DAMAGED, EVIL, Buffer.from(EVIL)],
  ]);
  await database.query(
    "insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint, metadata) values ($1, '', $2, $2, $3, $3)",
    [DAMAGED, EVIL, JSON.stringify({ [EVIL]: EVIL })],
  );
  return newest[0] ?? "";
}

function itemsOf(database: TestDatabase) {
  return database.query("select prefix, key, value::text from store order by prefix");
}

function namesOf({ name, subcommands }: CommandDefinition): string[] {
  return name === "store" ? (subcommands ?? []).map((each) => `store ${each.name}`) : [name];
}
