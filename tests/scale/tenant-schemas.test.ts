import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { distributionStatus } from "../../src/migrations/index.js";
import { runOfficialConformance } from "../../test-support/official-conformance.js";
import { describeCitus, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "../cli/cli.js";
import { CALLS, storeCountedThread } from "../saver/every-call.js";

/** Citus keeps each schema that is created with this setting on one node. */
const SETTING = "citus.enable_schema_based_sharding";

describeCitus("a schema for each tenant, on a node of Citus", (target) => {
  let database: TestDatabase<string>;
  const savers: PostgresSaver[] = [];

  const open = (schema: string): PostgresSaver => {
    const url = new URL(database.source);
    url.searchParams.set("options", `-c ${SETTING}=on`);
    const saver = new PostgresSaver(url.href, undefined, { schema, keepTombstones: true });
    savers.push(saver);
    return saver;
  };

  beforeAll(async () => {
    database = await target.createDatabase();
    for (const schema of ["acme", "other"]) await open(schema).setup();
  });
  afterAll(() => Promise.all(savers.map((saver) => saver.end())));

  it("is created by setup(), and no row of it is on the coordinator", async () => {
    const db = database.kysely();
    for (const schema of ["acme", "other"]) {
      const { tables } = await distributionStatus(db, { schema });
      expect(new Set(tables.map(({ placement }) => placement))).toEqual(new Set(["schema"]));
      expect(new Set(tables.map(({ colocation }) => colocation)).size).toBe(1);
    }
    const nodes = await database.query<{ nodes: number }>(`
      select count(distinct nodeport)::integer as nodes from citus_shards
      where citus_table_type = 'schema' and nodeport <> (select nodeport from pg_dist_node where groupid = 0)`);
    expect(nodes).toEqual([{ nodes: 2 }]);
  });

  describe("has every call", () => {
    it.each(Object.entries(CALLS))("%s", async (_name, call) => {
      await call(await storeCountedThread(open("acme")));
    });
  });

  it("has the commands, which find only its threads", async () => {
    await storeCountedThread(open("other"));
    const run = cliOn(database);
    for (const command of [
      ["threads"],
      ["stats"],
      ["verify"],
      ["doctor"],
      ["export"],
      ["prune", "--dry-run"],
    ]) {
      const options = command[0] === "prune" ? ["--keep-last", "1"] : [];
      const outcome = await run(...command, ...options, "--schema", "other");
      expect({ command, ...outcome }).toMatchObject({ command, code: 0 });
    }
    expect((await run("threads", "--schema", "other", "--json")).stdout.match(/threadId/g)).toHaveLength(1);
  });

  runOfficialConformance({
    checkpointerName: "PostgresSaver in a schema on a node",
    async createCheckpointer() {
      for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes"])
        await database.exec(`delete from acme.${table}`);
      return open("acme");
    },
  });
});
