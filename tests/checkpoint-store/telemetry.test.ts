import { SpanStatusCode } from "@opentelemetry/api";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { createCheckpoint } from "../../src/checkpoint-store/index.js";
import { InMemorySdk } from "../telemetry/in-memory-sdk.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";
import { describeEachBackend } from "./backends.js";

const CHECKPOINT = createCheckpoint({
  executionId: "secret execution",
  threadId: "thread 7",
  nodeName: "secret node",
  state: { token: "secret state" },
  metadata: { user: "secret metadata" },
});

describeEachBackend("the telemetry of a checkpoint store", (suite) => {
  let sdk: InMemorySdk;
  let earlier = 0;
  beforeAll(() => {
    sdk = new InMemorySdk().start();
  });
  beforeEach(() => {
    earlier = sdk.spans.length;
  });
  afterAll(() => sdk.stop());

  /** The spans of our calls in this test. */
  const spans = () => sdk.spans.slice(earlier).filter(({ name }) => name.startsWith("checkpointStore."));

  it("has one span for each call, with its checkpoint, its thread and its size", async () => {
    const store = await suite.open();
    // To open it may have called setup.
    earlier = sdk.spans.length;
    await store.setup();
    await store.save(CHECKPOINT, { keepLast: 3 });
    await store.saveMany([CHECKPOINT]);
    await store.load(CHECKPOINT.id);
    await store.list("secret execution");
    await store.latest({ threadId: "thread 7" });
    await store.delete(CHECKPOINT.id);
    await store.clear("secret execution");
    await store.verify();
    await store.health();
    expect(spans().map(({ name }) => name)).toEqual(
      ["setup", "save", "saveMany", "load", "list", "latest", "delete", "clear", "verify"].map(
        (call) => `checkpointStore.${call} checkpoints`,
      ),
    );
    const [, save, saveMany, load, list, latest, deletion] = spans();
    for (const span of spans()) {
      expect(span.status.code).toBe(SpanStatusCode.UNSET);
      expect(span.attributes["db.system.name"]).toBe(store.backend.system);
    }
    expect(save?.attributes).toMatchObject({
      "langgraph.thread_id": "thread 7",
      "langgraph.checkpoint_id": CHECKPOINT.id,
    });
    for (const span of [load, deletion])
      expect(span?.attributes["langgraph.checkpoint_id"]).toBe(CHECKPOINT.id);
    expect(latest?.attributes["langgraph.thread_id"]).toBe("thread 7");
    for (const span of [save, saveMany, load, list]) {
      expect(Number(span?.attributes["langgraph.checkpoint.bytes"])).toBeGreaterThan(100);
      expect(Number(span?.attributes["langgraph.checkpoint.bytes"])).toBeLessThan(400);
    }
  });

  it("shows nothing that is stored, in spans, metrics and logs, also of calls that fail", async () => {
    const logger = new RecordingLogger();
    const store = await suite.open({ logger, telemetry: { threadIds: false } });
    await store.save(CHECKPOINT);
    await store.list("secret execution");
    await expect(store.load("none")).rejects.toThrow("none");
    await expect(store.save({ ...CHECKPOINT, state: { "secret key": () => 1 } })).rejects.toThrow();
    await store.clear("secret execution");
    const failed = spans().filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(failed.map(({ name, attributes }) => [name.split(" ")[0], attributes["error.type"]])).toEqual([
      ["checkpointStore.load", "CHECKPOINT_NOT_FOUND"],
      ["checkpointStore.save", "SERIALIZATION_FAILED"],
    ]);
    const shown = spans().map(({ name, attributes, events, status }) => ({
      name,
      attributes,
      events,
      status,
    }));
    const metrics = [...(await sdk.measured()).values()];
    expect(JSON.stringify([shown, metrics, logger.lines])).not.toMatch(/secret|thread 7/);
    expect(metrics.length).toBeGreaterThan(0);
    expect(logger.lines.map(({ fields }) => fields.code)).toContain("SERIALIZATION_FAILED");
  });
});
