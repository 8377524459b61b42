import { PostgresSaver } from "../../src/index.js";
import { JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { runOfficialConformance } from "../support/official-conformance.js";
import { describeEachTarget } from "../support/targets.js";

describeEachTarget("LangGraph's conformance suite", (target) => {
  const layouts = { MessagePack: () => new MsgpackSerializer(), JSON: () => new JsonSerializer() };
  for (const [layout, createSerializer] of Object.entries(layouts)) {
    runOfficialConformance({
      checkpointerName: `PostgresSaver writing ${layout}`,
      async createCheckpointer() {
        const database = await target.createDatabase();
        const saver = new PostgresSaver(database.source, createSerializer());
        await saver.setup();
        return saver;
      },
      async destroyCheckpointer(saver) {
        await saver.end();
      },
    });
  }
});
