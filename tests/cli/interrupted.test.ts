import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "./cli.js";
import { fillDatabase } from "./filled-database.js";
import { expectBuild, PROGRAM } from "./program.js";
import { until } from "../../test-support/until.js";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";

beforeAll(expectBuild);

describeServer("the program", (server) => {
  let database: TestDatabase<string>;

  beforeAll(async () => {
    database = await server.migratedDatabase();
    await fillDatabase(database);
    await database.exec(`
      insert into checkpoint_blobs (thread_id, channel, version, type, blob)
        select 'long', 'a', n::text, 'json', convert_to(repeat('x', 10000), 'UTF8') from generate_series(1, 2000) as n`);
  });

  function start(...argv: string[]): ChildProcessWithoutNullStreams {
    const env = { ...withoutNodeOptions(), DATABASE_URL: database.source };
    return spawn(process.execPath, [PROGRAM, ...argv], { env });
  }

  async function untilConnected(): Promise<void> {
    // After this query the command starts its work. An interrupt before would end the connection attempt instead.
    const hasConnected = `
      select from pg_stat_activity
      where application_name = 'langgraph-checkpoint-kysely' and datname = current_database()
        and state = 'idle' and query like 'select pg_is_in_recovery%'`;
    await until(async () => (await database.query(hasConnected)).length > 0);
  }

  describe("after Ctrl-C", () => {
    it("stops waiting for input, and prints what was stored", async () => {
      const { stdout } = await cliOn(database)("export", "43");
      const child = start("import", "-");
      const output = Promise.all([text(child.stdout), text(child.stderr)]);
      child.stdin.write(stdout.slice(0, stdout.indexOf("\n") + 1));
      await untilConnected();
      child.kill("SIGINT");
      expect(await once(child, "exit")).toEqual([130, null]);
      expect(await output).toEqual(["", "error: interrupted: nothing was stored\n"]);
    });

    it("stops waiting for a slow reader", async () => {
      const child = start("export", "long");
      const printed = text(child.stderr);
      await once(child.stdout, "readable");
      child.kill("SIGINT");
      child.stdout.resume();
      expect(await once(child, "close")).toEqual([130, null]);
      expect(await printed).toMatch(/^error: interrupted: the backup is incomplete/);
    });
  });

  it("prints no error if the reader closes the pipe", async () => {
    for (const argv of [["export", "long"], ["threads"], ["show", "42"], ["--help"]]) {
      const child = start(...argv);
      const printed = text(child.stderr);
      child.stdout.destroy();
      await once(child, "close");
      expect({ argv, printed: await printed }).toEqual({ argv, printed: "" });
    }
  });
});
