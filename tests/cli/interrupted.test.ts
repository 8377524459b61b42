import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { ROOT } from "../package/consumer-project.js";
import { describeServer, type TestDatabase } from "../support/targets.js";
import { cliOn } from "./cli.js";
import { fillDatabase } from "./filled-database.js";

const PROGRAM = join(ROOT, "bin", "langgraph-checkpoint-kysely.js");

// Without a build there is no program; `npm test` builds first.
beforeAll(() => access(join(ROOT, "dist", "cli.js")));

describeServer("the program", (server) => {
  let database: TestDatabase<string>;

  beforeAll(async () => {
    database = await server.createDatabase();
    await fillDatabase(database);
    await database.exec(`
      insert into checkpoint_blobs (thread_id, channel, version, type, blob)
        select 'long', 'a', n::text, 'json', convert_to(repeat('x', 10000), 'UTF8') from generate_series(1, 2000) as n`);
  });

  function start(...argv: string[]): ChildProcessWithoutNullStreams {
    const env = { ...process.env, NODE_OPTIONS: "", DATABASE_URL: database.source };
    return spawn(process.execPath, [PROGRAM, ...argv], { env });
  }

  async function untilConnected(): Promise<void> {
    // The command has begun its work once the server has answered this: before, an interrupt ends the connecting.
    const isThere = `
      select from pg_stat_activity
      where application_name = 'langgraph-checkpoint-kysely' and datname = current_database()
        and state = 'idle' and query = 'select 1'`;
    while ((await database.query(isThere)).length === 0);
  }

  describe("at Ctrl-C", () => {
    it("ends with what it waits for, and says what was done", async () => {
      const { stdout } = await cliOn(database)("export", "43");
      const child = start("import", "-");
      const output = Promise.all([text(child.stdout), text(child.stderr)]);
      child.stdin.write(stdout.slice(0, stdout.indexOf("\n") + 1));
      await untilConnected();
      child.kill("SIGINT");
      expect(await once(child, "exit")).toEqual([130, null]);
      expect(await output).toEqual(["", "error: interrupted: nothing was stored\n"]);
    });

    it("ends while its reader is slow", async () => {
      const child = start("export", "long");
      const said = text(child.stderr);
      await once(child.stdout, "readable");
      child.kill("SIGINT");
      child.stdout.resume();
      expect(await once(child, "close")).toEqual([130, null]);
      expect(await said).toMatch(/^error: interrupted: the backup is cut off/);
    });
  });

  it("says nothing when the reader of its output has read enough", async () => {
    for (const argv of [["export", "long"], ["threads"], ["show", "42"], ["--help"]]) {
      const child = start(...argv);
      const said = text(child.stderr);
      child.stdout.destroy();
      await once(child, "close");
      expect({ argv, said: await said }).toEqual({ argv, said: "" });
    }
  });
});
