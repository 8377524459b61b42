import { expect, it } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import { IncompatibleTablesError, PostgresSaver } from "../../src/index.js";
import { convertShallowTables } from "../../src/migrations/index.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { describePythonGraphs } from "./python-graphs.js";
import { configOf } from "./two-languages.js";

await describePythonGraphs("Python's shallow saver", (target, start) => {
  it("leaves threads that Python's full saver and this library can use after its tables are converted", async () => {
    const database = await target.createDatabase();
    const python = await start(database);
    await using saver = new PostgresSaver(database.source);
    await python.do("setup", { shallow: true });
    const shallow = { graph: "asking", thread: "t", shallow: true };
    await python.do("run", { ...shallow, input: { log: ["in"] } });
    await python.do("run", { ...shallow, graph: "fan_out", thread: "sends", input: { log: ["in"] } });
    await python.do("run", { ...shallow, graph: "nested", thread: "nested", input: { log: ["in"] } });
    const before = await Promise.all(
      ["asking", "fan_out", "nested"].map((graph, index) =>
        python.do("state", { graph, thread: ["t", "sends", "nested"][index], shallow: true }),
      ),
    );
    await expect(saver.setup()).rejects.toThrow(IncompatibleTablesError);

    const { kysely, close } = openDatabase(database.source);
    expect(await convertShallowTables(kysely)).toMatchObject({ unreferencedBlobs: 0 });
    await close();
    await saver.setup();
    await python.do("setup");
    for (const [index, graph] of ["asking", "fan_out", "nested"].entries()) {
      const thread = ["t", "sends", "nested"][index];
      expect(await python.do("state", { graph, thread })).toEqual(before[index]);
    }
    expect((await saver.getTuple(configOf("t")))?.checkpoint.channel_values).toMatchObject({
      log: ["in", "begin"],
    });
    expect((await saver.verify()).problems.filter(({ severity }) => severity === "error")).toEqual([]);

    await python.do("run", { graph: "asking", thread: "t", resume: "yes" });
    const { values } = await python.do("state", { graph: "asking", thread: "t" });
    expect(values).toEqual({ log: ["in", "begin", "yes", "beside"] });
    await python.do("run", { graph: "nested", thread: "nested", resume: "yes" });
    expect(await python.do("state", { graph: "nested", thread: "nested" })).toMatchObject({ next: [] });
    await python.end();
  });

  it("can't use the tables of this library, and does not damage them", async () => {
    const database = await target.createDatabase();
    const python = await start(database);
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await python.do("run", { graph: "asking", thread: "t", input: { log: ["in"] } });
    const before = await dumpSchema(database);
    await python.do("setup", { shallow: true });
    await expect(
      python.do("run", { graph: "asking", thread: "t", shallow: true, resume: "yes" }),
    ).rejects.toThrow(/psycopg.errors/);
    expect(await dumpSchema(database)).toEqual(before);
    await python.do("run", { graph: "asking", thread: "t", resume: "yes" });
    expect(await python.do("state", { graph: "asking", thread: "t" })).toMatchObject({ next: [] });
    await python.end();
  });

  it("leaves tables that are still recognized and converted after setup() of Python's full saver ran on them", async () => {
    const database = await target.createDatabase();
    const python = await start(database);
    await using saver = new PostgresSaver(database.source);
    await python.do("setup", { shallow: true });
    await python.do("run", { graph: "asking", thread: "t", shallow: true, input: { log: ["in"] } });
    await python.do("setup");
    await expect(saver.setup()).rejects.toThrow(IncompatibleTablesError);
    const { kysely, close } = openDatabase(database.source);
    await convertShallowTables(kysely);
    await close();
    await python.do("run", { graph: "asking", thread: "t", resume: "yes" });
    expect(await python.do("state", { graph: "asking", thread: "t" })).toMatchObject({ next: [] });
    await python.end();
  });
});
