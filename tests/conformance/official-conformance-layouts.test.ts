import { beforeAll } from "@jest/globals";
import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { partitionTables } from "../../src/migrations/index.js";
import {
  AesGcmSerializer,
  CompressedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../../src/serde/index.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { runOnEmptiedSaver } from "./emptied-saver.js";

const KEYS = [{ id: "1", key: Buffer.alloc(32, 1) }];

const LAYOUTS = {
  JSON: () => new JsonSerializer(),
  "encrypted values": () =>
    new AesGcmSerializer(new CompressedSerializer(new MsgpackSerializer(), { thresholdBytes: 0 }), {
      keys: KEYS,
      strict: true,
    }),
};

// The bytes of a layout don't depend on the kind of Postgres.
describeServer("LangGraph's conformance suite", (target) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await target.createDatabase();
  });

  for (const [layout, createSerializer] of Object.entries(LAYOUTS)) {
    const schema = `conformance of ${layout}`;
    runOnEmptiedSaver(`PostgresSaver writing ${layout}`, async () => {
      const saver = new PostgresSaver(database.source, createSerializer(), { schema });
      await saver.setup();
      return { saver, tables: database.kysely<CheckpointDatabase>().withSchema(schema) };
    });
  }

  runOnEmptiedSaver("PostgresSaver on partitions", async () => {
    const saver = new PostgresSaver(database.source);
    await saver.setup();
    const tables = database.kysely<CheckpointDatabase>();
    await partitionTables(tables, { layout: "hash:4" });
    return { saver, tables };
  });
});
