import { beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "./cli.js";

onOneServer("its tables have shards", describeServer)("migrate --partition", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;

  beforeEach(async () => {
    database = await target.createDatabase();
    run = cliOn(database);
  });

  it("creates tables with partitions, and --check and --plan say what is missing", async () => {
    const check = ["migrate", "--check", "--partition", "hash:4"];
    expect((await run("migrate", "--partition", "hash:4", "--plan")).stdout).toContain(
      "-- checkpoints, unpartitioned: about 0 rows, 0 B",
    );
    expect(await run(...check)).toMatchObject({ code: 1, stdout: expect.stringContaining("not hash:4") });
    const { code, stdout } = await run("migrate", "--partition", "hash:4");
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/is up to date\nhash:4 checkpoints \(0 rows\)\n/),
    });
    expect(await run(...check)).toMatchObject({ code: 0 });
    expect((await run("migrate", "--partition", "hash:4")).stdout).toContain(
      "its tables were hash:4 already",
    );
    expect((await run("migrate", "--partition", "hash:4", "--plan")).stdout).toContain(
      "-- The tables are hash:4 already",
    );
  });

  it("converts beside what is stored, and --unpartition brings it back", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    const { config } = await putValues(saver, threadConfig("42"), { list: [1] });
    const converted = await run("migrate", "--partition", "hash:2", "--json");
    expect(JSON.parse(converted.stdout)).toMatchObject({
      partitions: {
        layout: "hash:2",
        isConverted: true,
        rows: { checkpoints: 1, checkpoint_writes: 0, checkpoint_blobs: 1 },
      },
    });
    expect((await saver.get(config))?.channel_values).toEqual({ list: [1] });
    expect((await run("migrate", "--unpartition")).stdout).toContain("unpartitioned checkpoints (1 row)\n");
    expect((await saver.get(config))?.channel_values).toEqual({ list: [1] });
  });

  it("says what is half done, which the same command continues and --unpartition gives up", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await putValues(saver, threadConfig("42"), { list: [1] });
    const interrupt = new AbortController();
    const halfDone = async () => {
      for (;;) {
        const [row] = await database.query<{ name: string | null }>(
          "select to_regclass('checkpoint_conversion')::text as name",
        );
        if (row?.name !== null) break;
      }
      interrupt.abort();
    };
    // Nobody else may see the first step before it is complete, so this waits until it is.
    const [{ code, stderr }] = await Promise.all([
      cliOn(database, { signal: interrupt.signal })("migrate", "--partition", "hash:16"),
      halfDone(),
    ]);
    expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringContaining("work as before") });
    expect((await run("migrate", "--check", "--unpartition")).stdout).toContain(
      "a conversion to hash:16 has not ended",
    );
    expect((await run("doctor")).stdout).toMatch(/conversion of the tables to hash:16 has not ended/);
    expect((await run("migrate", "--unpartition")).stdout).toContain(
      "its conversion to hash:16 was given up",
    );
    expect(await run("migrate", "--check", "--unpartition")).toMatchObject({ code: 0 });
    expect(await saver.listThreads()).toHaveLength(1);
  });

  it.each([
    [["--partition", "16"], "expected hash:<n>"],
    [["--partition", "none"], "--unpartition"],
    [["--partition", "hash:1"], "2 to 256"],
    [["--partition", "hash:4", "--unpartition"], "cannot be used with"],
    [["--partition", "hash:4", "--distribute"], "cannot be used with"],
  ])("refuses %j", async (options, reason) => {
    expect(await run("migrate", ...options)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(reason),
    });
  });
});
