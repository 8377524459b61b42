import { beforeAll, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { EncryptedSerializer } from "../../src/serde/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { jsonOf, linesOf, cliOn, type CliOutcome } from "./cli.js";
import { fillDatabase } from "./filled-database.js";

const KEY = "0123456789abcdef";
const EVIL = "\u001b[2Jevil\n\u202e";

describeAnyTarget("the commands that inspect threads", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;
  let ids: readonly string[];

  beforeAll(async () => {
    database = await target.migratedDatabase();
    ({ ids } = await fillDatabase(database));
    run = cliOn(database);
    const saver = new PostgresSaver(database.source);
    await putValues(saver, threadConfig(EVIL), { [EVIL]: [EVIL] });
    await saver.end();
    await database.query(
      "insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, blob) values ($1, 'c', 't', 0, 'a', '')",
      [`${EVIL}4`],
    );
    const secret = new PostgresSaver(database.source, EncryptedSerializer.fromAesKey(KEY));
    await putValues(secret, threadConfig("secret"), { plan: ["hidden"] });
    await secret.end();
  });

  const lines = (...argv: string[]) => linesOf(run, ...argv);
  const json = (...argv: string[]) => jsonOf(run, ...argv);

  describe("threads", () => {
    it("lists the threads with the newest checkpoint of each", async () => {
      const [head, ...rows] = await lines("threads");
      expect(head).toMatch(/^THREAD +UPDATED +STEP +SOURCE +CHECKPOINTS +NAMESPACES$/);
      const row = rows.find((line) => line.startsWith("42 "));
      expect(row).toMatch(/^42 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}just now +0 +loop +5 +2$/);
    });

    it("prints the command line of the next page", async () => {
      const seen: string[] = [];
      let page = await lines("threads", "--limit", "2");
      for (;;) {
        const end = page.findIndex((line) => line === "");
        seen.push(...page.slice(1, end < 0 ? undefined : end).map((line) => line.split("  ")[0] ?? ""));
        const [, after] = /^next page: threads --limit 2 --after (\d.*)$/.exec(page.at(-1) ?? "") ?? [];
        if (after === undefined) break;
        page = await lines("threads", "--limit", "2", "--after", after);
      }
      expect(seen).toEqual(expect.arrayContaining(["42", "42-copy", "43", "44"]));
      expect(new Set(seen).size).toBe(seen.length);
    });

    it("repeats the filters in the command line of the next page", async () => {
      const page = await lines(
        "threads",
        "--limit",
        "1",
        "--filter",
        '{"step": -1}',
        "--updated-after",
        "1h",
      );
      expect(page.at(-1)).toMatch(
        /^next page: threads --limit 1 --filter '\{"step":-1\}' --updated-after \d{4}-[-\d:.TZ]+ --after 43$/,
      );
    });

    it("filters by metadata and time", async () => {
      expect(await json("threads", "--filter", '{"step": -1}')).toMatchObject({
        threads: [{ threadId: "43" }],
      });
      expect(await lines("threads", "--updated-after", "2999-01-01")).toEqual(["no threads"]);
      expect((await lines("threads", "--updated-after", "1h")).length).toBeGreaterThan(4);
    });
  });

  it("show draws a tree with the head, forks and interrupts, and lists other namespaces", async () => {
    const shown = await lines("show", "42");
    const [a = "", b = "", c = "", d = ""] = ids;
    expect(shown.filter((line) => /[●○◉]/.test(line)).map((line) => /[0-9a-f-]{36}/.exec(line)?.[0])).toEqual(
      [a, b, c, d],
    );
    expect(shown.find((line) => line.includes(b))).toMatch(/^│ ○ {2}step {2}0/);
    expect(shown.find((line) => line.includes(d))).toMatch(/^◉ .*1 write {2}interrupted {2}← head$/);
    expect(shown.at(-1)).toMatch(/^research:1 +1$/);
    expect((await lines("show", "42", "--namespace", "research:1"))[0]).toBe(
      "thread 42, namespace research:1",
    );
    expect(await run("show", "42", "--namespace", "none")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("no checkpoints in this namespace"),
    });
    expect(await json("show", "42")).toMatchObject({
      head: d,
      branches: [{ checkpoints: [{ checkpointId: a }] }],
    });
  });

  it("show prints the command line of the next page, down to the oldest checkpoint", async () => {
    const seen: (string | undefined)[][] = [];
    const page = ["show", "42", "--limit", "3"];
    for (let argv = page; ;) {
      const shown = await lines(...argv);
      seen.push(shown.filter((line) => /[●○◉]/.test(line)).map((line) => /[0-9a-f-]{36}/.exec(line)?.[0]));
      const [, before] = /^next page: show 42 --limit 3 --before (\S+)$/.exec(shown.at(-1) ?? "") ?? [];
      if (before === undefined) break;
      argv = [...page, "--before", before];
    }
    expect(seen).toEqual([ids.slice(1), ids.slice(0, 1)]);
    expect(await json("show", "42", "--before", "head~1", "--limit", "1")).toMatchObject({
      ...{ head: ids[3], branches: [{ checkpoints: [{ checkpointId: ids[1] }] }], omitted: 1, next: ids[1] },
    });
    expect(await run("show", "42", "--before", String(ids[0]))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`no checkpoints older than ${String(ids[0])}`),
    });
  });

  it("show draws the newest checkpoints, and counts the omitted ones", async () => {
    const shown = await lines("show", "42", "--limit", "2");
    expect(shown.filter((line) => /[●○◉]/.test(line)).map((line) => /[0-9a-f-]{36}/.exec(line)?.[0])).toEqual(
      ids.slice(2),
    );
    expect(shown).toContain("omitted 2 older checkpoints; --limit sets how many are shown");
    expect(await json("show", "42", "--limit", "2")).toMatchObject({ head: ids[3], omitted: 2 });
    expect(await json("show", "42", "--limit", "4")).toMatchObject({ omitted: 0 });
    expect((await lines("show", "42", "--limit", "4")).join("\n")).not.toContain("omitted");
    expect(await run("show", "42", "--limit", "0")).toMatchObject({ code: 2 });
  });

  it("state prints values of every type", async () => {
    const text = (await lines("state", "42")).join("\n");
    expect(text).toContain("Map(1) { 'sea' => Set(1) { 1 } }");
    expect(text).toContain("18446744073709551616n");
    expect(text).toContain("HumanMessage {");
    expect(await json("state", "42")).toMatchObject({
      checkpoint: ids[3],
      values: {
        big: "18446744073709551616",
        seen: { sea: [1] },
        messages: [{ type: "human" }],
        since: "1970-01-01T00:00:00.000Z",
      },
    });
    expect(await json("state", "42", "--checkpoint", "head~2")).toMatchObject({ checkpoint: ids[0] });
    expect(await json("state", "42", "--checkpoint", ids[1] ?? "", "--channel", "plan")).toMatchObject({
      values: { plan: "A" },
    });
    expect(await json("state", "42", "--namespace", "research:1")).toMatchObject({
      values: { notes: ["salt"] },
    });
  });

  it("state exits with 1 if a requested channel has no value", async () => {
    const { code, stdout } = await run("state", "42", "--channel", "plan", "--channel", "none");
    expect(code).toBe(1);
    expect(stdout).toContain("none\n  no value at this checkpoint");
  });

  it("writes lists the pending writes of a checkpoint", async () => {
    const rows = await lines("writes", "42", "--checkpoint", "head~2");
    expect(rows[2]).toMatch(/^TASK +PATH +IDX +CHANNEL +TYPE +SIZE +VALUE$/);
    expect(rows[3]).toMatch(/^task-1 +~__pregel_pull, agent +0 +messages +msgpack +\d+ B +AIMessage \{.*…$/);
    expect(await json("writes", "42")).toMatchObject({ writes: [{ idx: -3, value: [{ value: "sure?" }] }] });
    expect((await lines("writes", "43"))[0]).toMatch(/has no writes$/);
  });

  it("stats prints sizes by thread, channel and task", async () => {
    const text = (await lines("stats")).join("\n");
    expect(text).toMatch(/^checkpoints +\d+ +[\d.]+ kB$/m);
    expect(text).toMatch(/^42 +5 +/m);
    expect((await lines("stats", "42")).join("\n")).toMatch(/^task-1 .* 1 +\d+ B +\d+ B$/m);
    expect(await json("stats", "42")).toMatchObject({
      total: { threads: 1 },
      tasks: [{ taskId: "task-1" }, {}],
    });
  });

  it("stats estimates by a sample, with the error beside each number, or tells that it drew too few", async () => {
    const drawn = (await lines("stats", "--sample", "99.9999999%")).join("\n");
    expect(drawn).toMatch(/^checkpoints +\d+ ± 0 +[\d.]+ kB ± 0 B$/m);
    expect(drawn).toMatch(/^estimated from (\d+) of \1 threads; ± is the standard error/m);
    const none = (await lines("stats", "--sample", "0.0000000001%")).join("\n");
    expect(none).toMatch(/^estimated from 0 of \d+ threads: too few to tell the error/m);
    expect(await run("stats", "42", "--sample", "1%")).toMatchObject({ code: 2, stdout: "" });
  });

  it("stats prints the sizes of one checkpoint, and what tasks wrote since a time by node", async () => {
    const rows = await lines("stats", "42", "--checkpoint", "head~2");
    expect(rows).toContainEqual(expect.stringMatching(/^checkpoints +1 +[\d.]+ (k?)B$/));
    expect(rows).toContainEqual(expect.stringMatching(/^writes +1 +\d+ B$/));
    expect(rows).toContainEqual(expect.stringMatching(/^task-1 /));
    expect((await lines("stats", "42", "--namespace", "")).join("\n")).not.toContain("task-1");
    const since = await lines("stats", "--since", "2000-01-01");
    expect(since[0]).toMatch(/^NODE +TASKS +WRITES +SIZE +MEAN$/);
    expect(since).toContainEqual(expect.stringMatching(/^agent +2 +2 +\d+ B +\d+ B$/));
    expect(since).toContainEqual(expect.stringMatching(/^42 +task-1 +~__pregel_pull, agent /));
    expect(await json("stats", "42", "--since", "2000-01-01")).toMatchObject({
      nodes: [{ node: "agent" }, {}],
    });
    expect(await lines("stats", "--since", "2200-01-01")).toEqual([
      "no task has written since 2200-01-01T00:00:00.000Z",
    ]);
    for (const argv of [
      ["--checkpoint", "head"],
      ["42", "--checkpoint", "head", "--since", "1d"],
    ]) {
      expect(await run("stats", ...argv)).toMatchObject({ code: 2, stdout: "" });
    }
  });

  it("stats shows how long values would be if none was stored as a splice, where one is", async () => {
    expect(await lines("stats", "42")).not.toContainEqual(expect.stringContaining("whole"));
    await using saver = new PostgresSaver(database.source);
    await putValues(saver, threadConfig("spliced"), { plan: ["A"] });
    await database.query(
      "update checkpoint_blobs set base = 'any', whole_bytes = 7000000 where thread_id = 'spliced'",
    );
    const text = (await lines("stats", "spliced")).join("\n");
    // Both lengths are before Postgres' compression: a size on the disk can't be compared with them.
    expect(text).toMatch(/^ +ROWS +SIZE +UNCOMPRESSED$/m);
    expect(text).toMatch(/^values +1 +\d+ B +\d+ B\nif stored whole +7\.0 MB$/m);
    expect(text).toMatch(
      /^CHANNEL +VALUES +SIZE +UNCOMPRESSED +WHOLE +WRITES +SIZE\nplan +1 +\d+ B +\d+ B +7\.0 MB +0 +0 B$/m,
    );
    await saver.deleteThread("spliced");
  });

  it.each([
    ["show", "none"],
    ["state", "none"],
    ["state", "42", "--checkpoint", "none"],
    ["state", "42", "--checkpoint", "head~9"],
    ["state", "42", "--namespace", "none"],
    ["diff", "42", "head", "none"],
    ["writes", "none"],
    ["stats", "none"],
    ["verify", "none"],
    ["copy", "none", "target"],
    ["fork", "none"],
    ["rollback", "42", "none"],
  ])("prints one line about a missing thread or checkpoint: %s %s %s", async (...argv) => {
    const { code, stdout, stderr } = await run(...argv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^error: thread "(none|42)"[^\n]* has no [^\n]+\n$/);
    const failed = await run(...argv, "--json");
    expect(JSON.parse(failed.stdout)).toMatchObject({ error: { code: "CHECKPOINT_NOT_FOUND" } });
  });

  it("breaks no id and no word on a narrow terminal", async () => {
    const id = "019a6f6e-3f0c-7d3e-9d0c-5a0c9b7d2e11";
    const saver = new PostgresSaver(database.source);
    await putValues(saver, threadConfig(id), { plan: "A" });
    await saver.end();
    const narrow = cliOn(database, { isTTY: true, columns: 80, env: { NO_COLOR: "1" } });
    for (const argv of [["threads"], ["stats"], ["stats", id], ["writes", "42"], ["verify"]]) {
      const { stdout } = await narrow(...argv);
      const tooLong = stdout.split("\n").filter((line) => line.length > 80);
      // Only the terminal breaks a word that is longer than the line.
      expect({ argv, tooLong: tooLong.filter((line) => !/^\w* *\S+$/.test(line)) }).toEqual({
        ...{ argv, tooLong: [] },
      });
    }
    expect((await narrow("threads")).stdout).toMatch(new RegExp(`^THREAD +${id}$`, "m"));
    expect(await lines("threads")).toContainEqual(expect.stringMatching(new RegExp(`^${id}  .* 1$`)));
  });

  describe("for names with control characters", () => {
    it.each([
      ["threads"],
      ["show", EVIL],
      ["state", EVIL],
      ["diff", EVIL, "head", "head"],
      ["stats"],
      ["stats", EVIL],
      ["writes", EVIL],
      ["verify", `${EVIL}4`],
      ["show", `${EVIL}2`],
      ["copy", EVIL, `${EVIL}3`],
    ])("prints them escaped: %j", async (...argv) => {
      const results = [await run(...argv), await run(...argv, "--json"), await run(...argv, "--verbose")];
      for (const { stdout, stderr } of results) {
        expect(`${stdout}${stderr}`).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
      }
      expect(results.map(({ stdout, stderr }) => `${stdout}${stderr}`).join("")).toContain("evil");
    });
  });

  describe("for encrypted values", () => {
    const withKey = (key: string): ((...argv: string[]) => Promise<CliOutcome>) =>
      cliOn(database, { env: { LANGGRAPH_AES_KEY: key } });

    it("reads them with the key of Python's saver", async () => {
      const { code, stdout } = await withKey(KEY)("state", "secret");
      expect(code).toBe(0);
      expect(stdout).toContain("'hidden'");
    });

    it("names the environment variable of the key if it is missing", async () => {
      expect(await run("state", "secret")).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^error: .*LANGGRAPH_AES_KEY.*\n$/),
      });
    });

    it("never prints a wrong key", async () => {
      const short = await withKey("tooshort1")("state", "secret", "--verbose");
      expect(short).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^error: LANGGRAPH_AES_KEY: must be/),
      });
      const wrong = await withKey("fedcba9876543210")("state", "secret", "--verbose");
      expect(wrong.code).toBe(1);
      expect(`${short.stderr}${wrong.stderr}`).not.toMatch(/tooshort1|fedcba9876543210/);
      expect((await withKey("tooshort1")("migrate", "--check")).code).toBe(0);
    });
  });

  it("threads and show name damaged rows, beside the healthy ones", async () => {
    await database.exec(`insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
      values ('damaged', '1', '{"ts": "yesterday"}', '[]')`);
    const listed = await lines("threads", "--after", "damage");
    expect(listed.find((line) => line.startsWith("damaged "))).toMatch(/^damaged +unknown +1 +1$/);
    expect(listed.find((line) => line.startsWith("secret "))).toMatch(/just now/);
    const reason = /the column "metadata" holds no object; neither the id nor the "ts" .* contains a time$/;
    expect(listed.find((line) => line.startsWith("damaged  damaged: "))).toMatch(reason);
    const shown = await lines("show", "damaged");
    expect(shown.join(" ")).toMatch(/◉ {2}step \? .*unknown.*← head {2}damaged: .*holds no object/);
    await database.exec("delete from checkpoints where thread_id = 'damaged'");
  });

  it("prints colours only to a terminal without NO_COLOR", async () => {
    const argvs = [
      ["show", "42"],
      ["state", "42"],
      ["diff", "42", "head~1", "head"],
    ];
    for (const argv of argvs) {
      expect((await cliOn(database, { isTTY: true })(...argv)).stdout).toContain("\u001b[");
      expect((await cliOn(database, { isTTY: true, env: { NO_COLOR: "1" } })(...argv)).stdout).not.toContain(
        "\u001b[",
      );
    }
  });
});
