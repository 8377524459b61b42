import { expect, it } from "@jest/globals";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import { PostgresSaver } from "../../src/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";
import { allRows } from "./all-rows.js";

// Byte order and the order of most languages differ for these names.
const THREADS = ["B", "a", "Z", "ä", "_", "b 1"];

describeServer("a backup of a database of the official saver", (server) => {
  it("has all rows, whatever the collation of the columns, and can be restored into our tables", async () => {
    const [source, copy] = [await server.createDatabase(), await server.createDatabase()];
    const official = OfficialSaver.fromConnString(source.source);
    await official.setup();
    for (const thread of THREADS) {
      let last = await putValues(official, threadConfig(thread, { checkpoint_ns: "" }), { list: [thread] });
      for (let step = 0; step < 3; step++) {
        last = await putValues(official, last.config, { list: [step], Text: "x" }, last.checkpoint);
      }
      await official.putWrites(last.config, [["list", null]], "task");
    }
    await official.end();
    const [from, to] = [new PostgresSaver(source.source), new PostgresSaver(copy.source)];
    for (const saver of [from, to]) await saver.setup();
    expect(await to.importThreads(from.exportThreads())).toMatchObject({ threads: THREADS.length });
    const sorted = (rows: Record<string, string[]>) => Object.values(rows).map((found) => [...found].sort());
    expect(sorted(await allRows(copy))).toEqual(sorted(await allRows(source)));
    expect(await collect(to.list({}))).toEqual(await collect(from.list({})));
    await from.end();
    await to.end();
  });
});
