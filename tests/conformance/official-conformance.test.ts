import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { runOnEmptiedSaver } from "./emptied-saver.js";

describeEachTarget("LangGraph's conformance suite", (target) => {
  runOnEmptiedSaver("PostgresSaver", async () => {
    const database = await target.migratedDatabase();
    const saver = new PostgresSaver(database.source);
    return { saver, tables: database.kysely<CheckpointDatabase>() };
  });
});
