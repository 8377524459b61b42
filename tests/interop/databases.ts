import { randomBytes } from "node:crypto";
import { expect, it } from "@jest/globals";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import { JsonSerializer } from "../../src/serde/index.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { parallel } from "./agents.js";
import { PythonProcess } from "./python-process.js";
import { configOf } from "./two-languages.js";

const INPUT = { log: ["in"] };
const LOG = ["in", "left", "right", "join"];
/** Long enough for splices. */
const LONG = randomBytes(4_000).toString("base64");

/** One database that all three savers set up and use alternately. */
export function describeDatabases(interpreter: string): void {
  describeServer("a database of three savers", (target) => {
    async function withSavers(use: (savers: Savers) => Promise<void>): Promise<void> {
      const database = await target.createDatabase();
      const python = await PythonProcess.start(interpreter, database.source);
      try {
        await useSavers(database, python, use);
      } finally {
        await python.end();
      }
    }

    it.each(["Python", "ours", "JavaScript"])(
      "that %s set up is not changed by setup() of the others",
      async (first) => {
        await withSavers(async ({ python, ours, official, database }) => {
          const setups = {
            Python: () => python.do("setup"),
            ours: () => ours.setup(),
            JavaScript: () => official.setup(),
          };
          if (first === "Python") await setups.Python();
          if (first === "JavaScript") await setups.JavaScript();
          await setups.ours();

          const before = await everythingIn(database);
          await setups.JavaScript();
          await setups.Python();
          await setups.ours();
          expect(await everythingIn(database)).toEqual(before);
        });
      },
    );

    it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
      "at version %i of Python's migrations is adopted, after which Python's setup() changes nothing",
      async (version) => {
        await withSavers(async ({ python, ours, database }) => {
          await python.do("migrate", { version });
          await ours.setup();
          const before = await everythingIn(database);
          await python.do("setup");
          expect(await everythingIn(database)).toEqual(before);
          await python.do("run", { agent: "parallel", thread: "t", input: INPUT });
          expect((await parallel(ours).getState(configOf("t"))).values).toEqual({ log: LOG });
        });
      },
    );

    it("can be used by all of them alternately", async () => {
      await withSavers(async ({ python, ours, official, database }) => {
        const readable = new PostgresSaver(database.source, new JsonSerializer());
        await python.do("setup");
        await ours.setup();
        await parallel(official).invoke(INPUT, configOf("official"));
        await python.do("run", { agent: "parallel", thread: "python", input: INPUT });
        await parallel(readable).invoke(INPUT, configOf("official"));
        await parallel(ours).invoke(INPUT, configOf("python"));
        await parallel(official).invoke(INPUT, configOf("official"));
        await python.do("run", { agent: "parallel", thread: "python", input: INPUT });

        const thrice = [...LOG, ...LOG, ...LOG];
        for (const thread of ["official", "python"])
          expect((await parallel(ours).getState(configOf(thread))).values).toEqual({ log: thrice });
        expect((await parallel(official).getState(configOf("official"))).values).toEqual({ log: thrice });
        expect(
          await python.do("state", { agent: "parallel", thread: "python", keys: ["log"] }),
        ).toMatchObject({ values: { log: thrice } });
        await readable.end();
      });
    });

    it("is read and continued by Python after its splices are expanded, and before that fails in Python", async () => {
      await withSavers(async ({ python, ours, database }) => {
        await ours.setup();
        const spliced = new PostgresSaver(database.source, undefined, { splices: true });
        const rows = () =>
          database.query("select type, base, blob from checkpoint_blobs order by channel, version");
        const log = [LONG, ...LOG.slice(1)];
        await parallel(spliced).invoke({ log: [LONG] }, configOf("t"));
        const written = await rows();
        expect(written.filter(({ base }) => base !== null)).toHaveLength(2);

        const reads = { agent: "parallel", thread: "t" };
        const unknown = /Unknown serialization type: msgpack-splice/;
        await expect(python.do("state", { ...reads, keys: ["log"] })).rejects.toThrow(unknown);
        await expect(python.do("history", { ...reads, key: "log" })).rejects.toThrow(unknown);
        const refused = await python.do("run", { ...reads, input: { log: [LONG] } });
        expect(refused).toEqual({ ran: [], failed: expect.stringMatching(unknown) });
        expect(await rows()).toEqual(written);

        await ours.expand({ threads: ["t"] });
        expect(await python.do("state", { ...reads, keys: ["log"] })).toMatchObject({ values: { log } });
        await python.do("run", { ...reads, input: { log: [LONG] } });
        await parallel(spliced).invoke(INPUT, configOf("t"));
        for (const saver of [ours, spliced])
          expect((await parallel(saver).getState(configOf("t"))).values).toEqual({
            log: [...log, ...log, ...LOG],
          });
        await spliced.end();
      });
    });
  });

  interface Savers {
    readonly database: TestDatabase<string>;
    readonly python: PythonProcess;
    readonly ours: PostgresSaver;
    readonly official: OfficialSaver;
  }

  async function useSavers(
    database: TestDatabase<string>,
    python: PythonProcess,
    use: (savers: Savers) => Promise<void>,
  ): Promise<void> {
    const ours = new PostgresSaver(database.source);
    const pool = new pg.Pool({ connectionString: database.source });
    // The database is dropped before its connections are closed.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
    try {
      await use({ database, python, ours, official: new OfficialSaver(pool) });
    } finally {
      await ours.end();
      await pool.end();
    }
  }
}

/** The schema, and every row of the migrations table with its position on disk, which an update would change. */
async function everythingIn(database: TestDatabase): Promise<unknown[]> {
  const record = await database.query(
    "select v, ctid::text, xmin::text from checkpoint_migrations order by v",
  );
  return [...(await dumpSchema(database)), ...record];
}
