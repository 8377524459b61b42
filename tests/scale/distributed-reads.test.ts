import { beforeAll, expect, it } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import type { ReadCalls, ReadName } from "../../src/inspector/api/inspector-api.js";
import { distributeTables } from "../../src/migrations/index.js";
import { chainValues } from "../../test-support/chains.js";
import { checkpointOf, metadataOf, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeCitus, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "../cli/cli.js";
import { type Filled, fillDatabase } from "../cli/filled-database.js";

/** A call of the inspector. */
type Call = { readonly [Name in ReadName]: readonly [name: Name, args: ReadCalls[Name]["args"]] }[ReadName];

const COMMANDS: readonly (readonly string[])[] = [
  ["threads"],
  ["threads", "--filter", '{"source":"input"}', "--limit", "2"],
  ["show", "42"],
  ["state", "42"],
  ["state", "44"],
  ["writes", "42"],
  ["stats"],
  ["stats", "--thread", "42"],
  ["verify"],
  ["verify", "--thread", "42"],
  ["export"],
  ["export", "--thread", "42"],
  ["prune", "--keep-last", "1", "--dry-run"],
  ["compact", "--dry-run"],
  ["expand", "--dry-run"],
  ["tombstones"],
];

/** The calls that read the filled database. */
function callsAbout({ ids: [first = "", second = "", , last = ""] }: Filled): Call[] {
  const of = (checkpointId: string) => ({ threadId: "42", namespace: "", checkpointId });
  const plan = { kind: "channel", channel: "plan", ...of(last) } as const;
  return [
    ["threads", {}],
    ["threads", { search: "4", filter: { source: "loop" }, limit: 2 }],
    ["threads", { order: "recent" }],
    ["threads", { order: "recent", search: "4", filter: { source: "loop" }, limit: 1 }],
    ["threadSizes", { threadIds: ["42", "43", "44", "spliced", "unknown"] }],
    ["thread", { threadId: "42" }],
    ["history", { threadId: "42", namespace: "" }],
    ["history", { threadId: "42", namespace: "", before: last, limit: 2 }],
    ["neighbours", of(second)],
    ["checkpoint", of(last)],
    ["value", { place: plan, path: [] }],
    ["compare", { before: of(first), after: of(last) }],
    ["compareChannel", { before: of(first), after: of(last), channel: "plan" }],
    ["conversation", { ...of(last), channel: "messages" }],
    ["storage", {}],
    ["storage", { threadId: "42" }],
    ["stepBytes", { threadId: "42", namespace: "" }],
    ["chains", { threadId: "spliced" }],
    ["checkPrune", { keepLast: 1 }],
    ["editableValue", { ...of(last), channel: "plan" }],
  ];
}

describeCitus("what is read of distributed tables", (target) => {
  let database: TestDatabase<string>;
  let calls: Call[];
  /** Answers by call, while the tables are local. */
  const before = new Map<string, unknown>();

  /** Reads everything: an answer for each call and each command. */
  async function readAll(): Promise<Map<string, unknown>> {
    await using saver = new PostgresSaver(database.source);
    const inspector = new InspectorCalls(saver);
    const found = new Map<string, unknown>();
    for (const [name, args] of calls) {
      const response = await inspector.post(name, args);
      found.set(`${name} ${JSON.stringify(args)}`, JSON.parse(await response.text()));
    }
    for (const command of COMMANDS) found.set(command.join(" "), await cliOn(database)(...command));
    return found;
  }

  beforeAll(async () => {
    database = await target.migratedDatabase();
    calls = callsAbout(await fillDatabase(database));
    await using saver = new PostgresSaver(database.source);
    let { config, checkpoint } = await putValues(saver, threadConfig("spliced"), { list: [0] });
    for (let n = 1; n < 7; n++) {
      ({ config, checkpoint } = await putValues(saver, config, { list: [n] }, checkpoint));
    }
    await chainValues(database, "spliced");
    // Its id contains no time.
    const timeless = { ...checkpointOf(saver, {}), id: "no time", ts: "2020-01-01T00:00:00Z" };
    await saver.put(threadConfig("timeless"), timeless, metadataOf(), {});
    for (const [name, answer] of await readAll()) before.set(name, answer);
    const { kysely, close } = openDatabase(database.source);
    await distributeTables(kysely, { shards: 4 });
    await close();
  });

  it("is what was read before: each call of the inspector, and each command", async () => {
    const failed = [...before].filter(([, answer]) => JSON.stringify(answer).includes('"error"'));
    expect(failed).toEqual([]);
    const after = await readAll();
    expect([...after.keys()]).toEqual([...before.keys()]);
    const differing = [...after].filter(
      ([name, answer]) => JSON.stringify(answer) !== JSON.stringify(before.get(name)),
    );
    expect(differing.map(([name, answer]) => ({ name, before: before.get(name), answer }))).toEqual([]);
  });

  it("is the size of the shards, in the inspector and in doctor", async () => {
    await using saver = new PostgresSaver(database.source);
    const { tables } = await new InspectorCalls(saver).read("tables", {});
    for (const { table, tableBytes, indexBytes } of tables) {
      const [own] = await database.query<{ bytes: string }>(
        `select citus_total_relation_size('${table}') as bytes`,
      );
      expect([table, tableBytes + indexBytes]).toEqual([table, Number(own?.bytes)]);
      await database.exec(`analyze ${table}`);
    }
    expect(tables.map(({ table }) => table).sort()).toEqual([
      ...["checkpoint_blobs", "checkpoint_tombstones", "checkpoint_writes", "checkpoints"],
    ]);
    const { tables: analyzed } = await new InspectorCalls(saver).read("tables", {});
    const [{ count } = { count: "" }] = await database.query<{ count: string }>(
      "select count(*) from checkpoints",
    );
    expect(analyzed.find(({ table }) => table === "checkpoints")?.rows).toBe(Number(count));
    const { stdout } = await cliOn(database)("doctor");
    expect(stdout).toContain(`${count} live rows`);
  });
});

describeCitus("a saver with a tenantId", (target) => {
  it("is refused where Citus keeps the rows on nodes, which don't get the tenant: it would find nothing", async () => {
    const database = await target.migratedDatabase();
    await fillDatabase(database);
    const { kysely, close } = openDatabase(database.source);
    await distributeTables(kysely, { shards: 4 });
    await close();
    await using saver = new PostgresSaver(database.source, undefined, { tenantId: "acme" });
    await expect(saver.getTuple(threadConfig("acme:1"))).rejects.toThrow(
      /^row-level security can't separate tenants on "public"."checkpoint_blobs", .*a schema of its own/,
    );
  });
});
