import { beforeAll } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import {
  AesGcmSerializer,
  CompressedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../../src/serde/index.js";
import { runOfficialConformance } from "../support/official-conformance.js";
import { describeEachTarget, type TestDatabase } from "../support/targets.js";

describeEachTarget("LangGraph's conformance suite", (target) => {
  let database: TestDatabase;
  let schemas = 0;

  beforeAll(async () => {
    database = await target.createDatabase();
  });

  const keys = [{ id: "1", key: Buffer.alloc(32, 1) }];
  const compressed = new CompressedSerializer(new MsgpackSerializer(), { thresholdBytes: 0 });
  const layouts = {
    MessagePack: () => new MsgpackSerializer(),
    JSON: () => new JsonSerializer(),
    "encrypted values": () => new AesGcmSerializer(compressed, { keys, strict: true }),
  };
  for (const [layout, createSerializer] of Object.entries(layouts)) {
    runOfficialConformance({
      checkpointerName: `PostgresSaver writing ${layout}`,
      // A schema of its own keeps the checkpoints of a test apart, at a tenth of what a database costs.
      async createCheckpointer() {
        const schema = `conformance ${schemas++}`;
        const saver = new PostgresSaver(database.source, createSerializer(), { schema });
        await saver.setup();
        return saver;
      },
      async destroyCheckpointer(saver) {
        await saver.end();
      },
    });
  }
});
