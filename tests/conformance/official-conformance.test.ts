import { afterAll, beforeAll } from "@jest/globals";
import type { Kysely } from "kysely";
import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import {
  AesGcmSerializer,
  CompressedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../../src/serde/index.js";
import { partitionTables } from "../../src/migrations/index.js";
import { runOfficialConformance } from "../../test-support/official-conformance.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";

describeEachTarget("LangGraph's conformance suite", (target) => {
  let database: TestDatabase;

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
  // The bytes of the layouts don't depend on the kind of Postgres.
  const { MessagePack } = layouts;
  for (const [layout, createSerializer] of Object.entries(
    target.name === "pglite" ? { MessagePack } : layouts,
  )) {
    const schema = `conformance of ${layout}`;
    let saver: PostgresSaver;
    let tables: Kysely<CheckpointDatabase>;

    beforeAll(async () => {
      saver = new PostgresSaver(database.source, createSerializer(), { schema });
      await saver.setup();
      tables = database.kysely<CheckpointDatabase>().withSchema(schema);
    });
    afterAll(() => saver.end());

    runOfficialConformance({
      checkpointerName: `PostgresSaver writing ${layout}`,
      // A migration takes longer than the test, so the tests share a schema, which is emptied for each.
      async createCheckpointer() {
        for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const)
          await tables.deleteFrom(table).execute();
        return saver;
      },
    });
  }
});

describeServer("LangGraph's conformance suite on partitions", (target) => {
  let saver: PostgresSaver;
  let tables: Kysely<CheckpointDatabase>;

  beforeAll(async () => {
    const database = await target.createDatabase();
    saver = new PostgresSaver(database.source);
    await saver.setup();
    tables = database.kysely<CheckpointDatabase>();
    await partitionTables(tables, { layout: "hash:4" });
  });
  afterAll(() => saver.end());

  runOfficialConformance({
    checkpointerName: "PostgresSaver on partitions",
    async createCheckpointer() {
      for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const)
        await tables.deleteFrom(table).execute();
      return saver;
    },
  });
});
