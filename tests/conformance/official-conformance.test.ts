import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { runOnEmptiedSaver } from "./emptied-saver.js";

describeEachTarget("LangGraph's conformance suite", (target) => {
  runOnEmptiedSaver("PostgresSaver", async () => {
    const database = await target.createDatabase();
    const saver = new PostgresSaver(database.source);
    await saver.setup();
    return { saver, tables: database.kysely<CheckpointDatabase>() };
  });
});
