import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { chainValues } from "../../test-support/chains.js";
import { metadataOf, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeEachTarget, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { NO_ROW_SECURITY, openTenancy } from "../tenants/tenancy.js";

describeEachTarget("storage calls of the inspector", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let calls: InspectorCalls;
  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source);
    calls = new InspectorCalls(saver);
  });
  afterEach(() => saver.end());

  it("lists the tables with their sizes by the catalog", async () => {
    await putValues(saver, threadConfig("1"), { log: ["x".repeat(50_000)] });
    const { tables } = await calls.read("tables", {});
    expect(tables.map(({ table }) => table).sort()).toEqual([
      ...["checkpoint_blobs", "checkpoint_tombstones", "checkpoint_writes", "checkpoints"],
    ]);
    const [citus] = await database.query("select from pg_extension where extname = 'citus'");
    const sizeOf = citus === undefined ? "pg_total_relation_size" : "citus_total_relation_size";
    const [row] = await database.query<{ bytes: string }>(`select ${sizeOf}('checkpoint_blobs') as bytes`);
    const blobs = tables.find(({ table }) => table === "checkpoint_blobs");
    expect((blobs?.tableBytes ?? 0) + (blobs?.indexBytes ?? 0)).toBe(Number(row?.bytes));
  });

  it("counts every stored byte of a namespace once, for the checkpoint that has added it", async () => {
    const first = await putValues(saver, threadConfig("1"), { log: ["a".repeat(3_000)], kept: ["k"] });
    await saver.putWrites(first.config, [["log", ["b".repeat(2_000)]]], "task");
    // The second checkpoint changes only one channel.
    const { kept, ...versions } = first.checkpoint.channel_versions;
    const next = { ...first.checkpoint, id: (await putValues(saver, threadConfig("0"), {})).checkpoint.id };
    const log = saver.getNextVersion(versions.log as number);
    await saver.put(
      first.config,
      {
        ...next,
        channel_values: { log: ["c".repeat(4_000)], kept: ["k"] },
        channel_versions: { kept: kept ?? 0, log },
      },
      metadataOf(1),
      { log },
    );
    await database.exec(
      "insert into checkpoint_blobs values ('1', '', 'left over', '9', 'msgpack', '\\x0102')",
    );
    const { total } = await calls.read("storage", { threadId: "1" });
    const { steps, otherBytes } = await calls.read("stepBytes", { threadId: "1", namespace: "" });
    const sizes = await database.query<{ channel: string; bytes: number }>(
      "select channel, pg_column_size(blob) as bytes from checkpoint_blobs where thread_id = '1' order by version",
    );
    const sizeOf = (channel: string): number[] =>
      sizes.filter((row) => row.channel === channel).map(({ bytes }) => bytes);
    const [older = 0, newer = 0] = sizeOf("log");
    expect(steps.map(({ checkpoints, step, valueBytes }) => ({ checkpoints, step, valueBytes }))).toEqual([
      { checkpoints: 1, step: 0, valueBytes: older + (sizeOf("kept")[0] ?? 0) },
      { checkpoints: 1, step: 1, valueBytes: newer },
    ]);
    expect(steps[0]?.writeBytes).toBe(total.writeBytes);
    expect(steps.reduce((sum, { headerBytes }) => sum + headerBytes, 0)).toBe(total.headerBytes);
    expect(otherBytes).toBe(sizeOf("left over")[0]);
    expect(steps.reduce((sum, { valueBytes }) => sum + valueBytes, otherBytes)).toBe(total.valueBytes);
  });

  it("sums a long history to 500 entries", async () => {
    await putValues(saver, threadConfig("1"), { log: ["a"] });
    await database.exec(`insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, checkpoint, metadata)
      select '1', '', lpad(n::text, 8, '0'), jsonb_build_object('channel_versions', jsonb_build_object('n', n)),
        jsonb_build_object('step', n)
      from generate_series(1, 2000) n`);
    const { steps } = await calls.read("stepBytes", { threadId: "1", namespace: "" });
    const { total } = await calls.read("storage", { threadId: "1" });
    expect(steps).toHaveLength(500);
    expect(steps[0]).toMatchObject({ checkpoints: 5, checkpointId: "00000005", step: 5 });
    expect(steps.reduce((sum, { checkpoints }) => sum + checkpoints, 0)).toBe(2_001);
    expect(steps.reduce((sum, { headerBytes }) => sum + headerBytes, 0)).toBe(total.headerBytes);
  });

  it("tells the chains of splices of each channel", async () => {
    let { config, checkpoint } = await putValues(saver, threadConfig("1"), { list: [0], other: ["o"] });
    for (let n = 1; n < 7; n++)
      ({ config, checkpoint } = await putValues(saver, config, { list: [n] }, checkpoint));
    await chainValues(database, "1");
    const { channels } = await calls.read("chains", { threadId: "1" });
    const [list] = channels.filter(({ channel }) => channel === "list");
    // Number 6 refers to 4, which refers to the whole value 0. Number 3 refers to 2, and 5 to 4.
    expect(list).toMatchObject({ namespace: "", versions: 7, splices: 6, longest: 3 });
    expect(list?.wholeBytes).toBeGreaterThan(6_000);
    expect(list?.storedBytes).toBeLessThan(100);
    expect(channels.find(({ channel }) => channel === "other")).toMatchObject({ splices: 0, longest: 1 });
  });
});

onOneServer(NO_ROW_SECURITY, describeEachTarget)("storage calls of a tenant's inspector", (target) => {
  it("measures only the tenant's rows", async () => {
    const tenancy = await openTenancy(target);
    for (const tenant of ["acme", "other"]) {
      await putValues(tenancy.saver(tenant), threadConfig(`${tenant}:1`), { log: ["x".repeat(10_000)] });
    }
    const calls = new InspectorCalls(tenancy.saver("acme"));
    const { total, threads } = await calls.read("storage", {});
    expect(threads.map(({ name }) => name)).toEqual(["acme:1"]);
    expect(total).toMatchObject({ threads: 1, checkpoints: 1 });
    const theirs = { threadId: "other:1", namespace: "" };
    expect(await calls.read("stepBytes", theirs)).toEqual({ steps: [], otherBytes: 0 });
    expect(await calls.read("chains", { threadId: "other:1" })).toEqual({ channels: [] });
    expect((await calls.read("chains", { threadId: "acme:1" })).channels).toHaveLength(1);
    await tenancy.close();
  });
});
