import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { CompiledQuery } from "kysely";
import { createPgliteDatabase } from "../../test-support/pglite-target.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";
import { cli, type CliOutcome } from "./cli.js";
import { PROGRAM } from "./program.js";
import {
  checkpointId,
  contentOf,
  type CopyEnd,
  CopyEnds,
  fillCheckpoints,
  HAS_REDIS,
  HAS_SQLITE,
} from "./copied-stores.js";

const KINDS = [
  "postgres" as const,
  "pglite" as const,
  ...(HAS_SQLITE ? (["sqlite"] as const) : []),
  ...(HAS_REDIS ? (["redis"] as const) : []),
];
type Kind = (typeof KINDS)[number];
const PAIRS = KINDS.flatMap((from) => KINDS.map((to) => [from, to] as const));
/** The checkpoints of a filled store, besides one that is in no list. */
const COUNT = 120;
const ALL = COUNT + 1;

const OTHERS_AT_WORK = `
  select from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`;

describeServer("store-copy", (server) => {
  let database: TestDatabase<string>;
  let pglite: TestDatabase<PGlite>;
  let ends: CopyEnds;
  /** A filled store of each kind, which no test changes. */
  const filled = new Map<Kind, { readonly end: CopyEnd; readonly content: object }>();

  beforeAll(async () => {
    database = await server.createDatabase();
    pglite = await createPgliteDatabase();
    ends = await CopyEnds.create(database, pglite.source);
    for (const kind of KINDS) {
      const end = ends[kind]();
      await fillCheckpoints(end, COUNT);
      filled.set(kind, { end, content: await contentOf(end) });
    }
  });

  afterAll(async () => {
    await ends.end();
    await pglite.drop();
  });

  function filledOf(kind: Kind) {
    const found = filled.get(kind);
    if (found === undefined) throw new Error(`no filled store of ${kind}`);
    return found;
  }

  function copy(from: CopyEnd, to: CopyEnd, ...argv: string[]): Promise<CliOutcome> {
    return cli(["store-copy", ...from.argv("from"), ...to.argv("to"), ...argv], { open: ends.openUrl });
  }

  it.each(PAIRS)("copies every checkpoint from %s to %s, and only once", async (fromKind, toKind) => {
    const { end: from, content } = filledOf(fromKind);
    const to = ends[toKind]();
    expect(await copy(from, to, "--setup")).toEqual({
      code: 0,
      stdout: `copied ${ALL} checkpoints: ${ALL} new, 0 replaced, 0 unchanged\n`,
      stderr: "",
    });
    expect(await contentOf(to)).toEqual(content);
    const again = await copy(from, to, "--json");
    expect(JSON.parse(again.stdout)).toEqual({
      ...{ total: ALL, read: ALL, created: 0, replaced: 0, unchanged: ALL, dryRun: false },
      after: "Ünlisted ✓",
    });
  });

  it("stores nothing in a dry run, and creates nothing without --setup", async () => {
    const { end: from } = filledOf("postgres");
    const to = ends.postgres();
    const missing = await copy(from, to, "--json");
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.stdout)).toMatchObject({ error: { code: "MIGRATION_REQUIRED" } });
    await using target = to.open();
    await target.setup();
    expect(await copy(from, to, "--dry-run")).toMatchObject({
      code: 0,
      stdout: `would copy ${ALL} checkpoints: ${ALL} new, 0 replaced, 0 unchanged\n`,
    });
    expect(await target.backend.count({})).toBe(0);
  });

  it("fails where the target has lost a checkpoint, and says so", async () => {
    const { end: from, content } = filledOf("postgres");
    const to = ends.postgres();
    await using target = to.open();
    await target.setup();
    const table = tableOf(to);
    await database.exec(`
      create function forget() returns trigger language plpgsql as $$
        begin delete from ${table} where id = '${checkpointId(0)}'; return null; end $$;
      create trigger forget after insert on ${table} for each row when (new.id = '${checkpointId(110)}')
        execute function forget()`);
    expect(await copy(from, to)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`error: the target has ${COUNT} checkpoints instead of ${ALL}: `),
    });
    await database.exec(`drop trigger forget on ${table}`);
    expect(await copy(from, to)).toMatchObject({ code: 0, stdout: expect.stringContaining(": 1 new,") });
    expect(await contentOf(to)).toEqual(content);
  });

  describe("ended in the middle", () => {
    /** Ends the program while another transaction holds back the save of a checkpoint. */
    async function end(from: CopyEnd, signal: "SIGINT" | "SIGKILL") {
      const kysely = database.kysely<Record<string, never>>();
      const rollBack = new Error("end");
      let outcome: unknown;
      const held = kysely.transaction().execute(async (transaction) => {
        await transaction.executeQuery(
          CompiledQuery.raw(
            `insert into ${tableOf(to)} (id, execution_id, node_name, state, timestamp, version)
             values ('${checkpointId(110)}', '', '', 'null', now(), 1)`,
          ),
        );
        const argv = [PROGRAM, "store-copy", ...from.argv("from"), ...to.argv("to")];
        const child = spawn(process.execPath, argv, { env: withoutNodeOptions() });
        const output = Promise.all([text(child.stdout), text(child.stderr)]);
        await untilOneWaits(database);
        child.kill(signal);
        const [code] = (await once(child, "close")) as [number | null];
        const [stdout, stderr] = await output;
        outcome = { code, stdout, stderr };
        throw rollBack;
      });
      await expect(held).rejects.toBe(rollBack);
      // The server completes the statement of a killed client.
      await until(async () => (await database.query(OTHERS_AT_WORK)).length === 0);
      return outcome;
    }

    let to: CopyEnd;

    beforeEach(async () => {
      to = ends.postgres();
      await using target = to.open();
      await target.setup();
    });

    it("by Ctrl-C: it says how to continue, and continues so", async () => {
      const { end: from, content } = filledOf("postgres");
      expect(await end(from, "SIGINT")).toEqual({
        code: 130,
        stdout: "",
        stderr: `error: interrupted: 100 of ${ALL} checkpoints are copied; run the command again with --after ${checkpointId(99)} to continue\n`,
      });
      const rest = await copy(from, to, "--after", checkpointId(99), "--json");
      expect(JSON.parse(rest.stdout)).toMatchObject({ read: ALL - 100 });
      expect(await contentOf(to)).toEqual(content);
    });

    it("by a kill: the same command completes the copy", async () => {
      const { end: from, content } = filledOf("postgres");
      expect(await end(from, "SIGKILL")).toEqual({ code: null, stdout: "", stderr: "" });
      expect(await copy(from, to)).toMatchObject({ code: 0 });
      expect(await contentOf(to)).toEqual(content);
    });
  });
});

describe("store-copy refuses", () => {
  const to = ["--to", "redis://127.0.0.1:1"];

  it.each([
    ["no source", to, "required option '--from <url>' not specified"],
    ["another scheme", ["--from", "mysql://u:s3cret@h/x", ...to], "--from: must start with"],
    ["a database in memory", ["--from", "memory://", ...to], "--from: must start with"],
    [
      "an option of another kind",
      ["--from", "file://x", "--from-prefix", "p:", ...to],
      "--from-prefix: does not apply to pglite",
    ],
    [
      "the options of other commands",
      ["--from", "file://x", ...to, "--schema", "agents"],
      "option '--schema' does not apply to 'store-copy'",
    ],
    [
      "a malformed URL",
      ["--from", "postgres://app:s3cret@h:port/x", ...to],
      "--from: not a valid connection string",
    ],
    ["a malformed URL of Redis", ["--from", "redis://:s3cret%zz@h", ...to], "--from: must be a URL such as"],
  ])("%s", async (_what, argv, problem) => {
    const { code, stdout, stderr } = await cli(["store-copy", ...argv, "--verbose"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(stderr).not.toContain("s3cret");
  });

  it.each([
    [
      "a folder without a database",
      "file://nowhere",
      'no database found in folder "nowhere"; correct --from',
    ],
    ["a file that is missing", "sqlite:nowhere.db", 'no database found at "nowhere.db"; correct --from'],
    ["a server that does not answer", "redis://:s3cret@127.0.0.1:1", "no server listens there"],
  ])("%s, at once", async (_what, url, problem) => {
    const { code, stderr } = await cli(["store-copy", "--from", url, ...to, "--verbose"]);
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
    expect(stderr).not.toContain("s3cret");
  });
});

function tableOf(end: CopyEnd): string {
  return end.argv("to")[3] ?? "";
}
