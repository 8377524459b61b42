import { context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { TASKS } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { type Health, PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { Gate } from "../../test-support/gate.js";
import { describeAnyTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { InMemorySdk } from "./in-memory-sdk.js";

describeAnyTarget("spans", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let sdk: InMemorySdk;
  let thread: string;

  beforeEach(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    thread = newThread();
    // Registered after the saver was created.
    sdk = new InMemorySdk().start();
  });
  afterEach(async () => {
    await sdk.stop();
    await saver.end();
  });

  it("record each call once, by the conventions for databases", async () => {
    const { config, checkpoint } = await putValues(saver, threadConfig(thread), { a: ["value"] });
    await saver.putWrites(config, [["a", "write"]], "task");
    await saver.getTuple(config);
    await collect(saver.list(config));
    await saver.getDeltaChannelHistory({ config, channels: ["a"] });
    await saver.getChannelValues({ threadIds: [thread], channel: "a" });
    await saver.batch((batch) => batch.putWrites(config, [["a", "more"]], "other"));
    await saver.withThreadLock(thread, () => 1);
    await saver.deleteThread(thread);
    expect(sdk.spans.map(({ name }) => name)).toEqual([
      "put checkpoints",
      "putWrites checkpoint_writes",
      "getTuple checkpoints",
      "list checkpoints",
      "getDeltaChannelHistory checkpoint_writes",
      "getChannelValues checkpoints",
      "batch checkpoints",
      "withThreadLock pg_locks",
      "deleteThread checkpoints",
    ]);
    for (const { kind, status, attributes } of sdk.spans) {
      expect(kind).toBe(SpanKind.CLIENT);
      expect(status.code).toBe(SpanStatusCode.UNSET);
      expect(attributes).toMatchObject({ "db.system.name": "postgresql" });
    }
    expect(sdk.spans[1]?.attributes).toMatchObject({
      "db.operation.name": "putWrites",
      "db.query.summary": "putWrites checkpoint_writes",
      "db.collection.name": "checkpoint_writes",
      "langgraph.thread_id": thread,
      "langgraph.checkpoint_ns": "",
      "langgraph.checkpoint_id": checkpoint.id,
      "langgraph.checkpoint.retries": 0,
    });
    expect(sdk.spans[0]?.attributes["db.collection.name"]).toBeUndefined();
  });

  it("name the thread of a call on one thread, and its checkpoint", async () => {
    const { config, checkpoint } = await putValues(saver, threadConfig(thread), { a: ["x".repeat(10_000)] });
    await saver.fork(config, { values: { a: "y".repeat(5_000) } });
    await saver.rollback(thread, checkpoint.id);
    await saver.writesOf(config);
    await saver.rebuildBlobs(config, {});
    await saver.history(thread);
    await saver.taskStats(thread);
    await saver.storage({ threadId: thread });
    await saver.verify(thread);
    const [, ...spans] = sdk.spans;
    expect(spans).toHaveLength(8);
    for (const { attributes } of spans) expect(attributes["langgraph.thread_id"]).toBe(thread);
    for (const { attributes } of spans.slice(0, 4))
      expect(attributes["langgraph.checkpoint_id"]).toBe(checkpoint.id);
    expect(Number(spans[0]?.attributes["langgraph.checkpoint.bytes"])).toBeGreaterThan(5_000);
    await saver.storage();
    expect(sdk.spans.at(-1)?.attributes["langgraph.thread_id"]).toBeUndefined();
  });

  it("count the bytes and rows of a call", async () => {
    const { config } = await putValues(saver, threadConfig(thread), { a: ["x".repeat(10_000)] });
    await saver.getTuple(config);
    for (const { attributes } of sdk.spans) {
      expect(Number(attributes["langgraph.checkpoint.bytes"])).toBeGreaterThan(10_000);
      expect(Number(attributes["langgraph.checkpoint.bytes"])).toBeLessThan(11_000);
    }
    // The header and one value.
    expect(sdk.spans[1]?.attributes["db.response.returned_rows"]).toBe(2);
  });

  it("record each page of a list when it is read", async () => {
    for (let n = 0; n < 4; n++) await putValues(saver, threadConfig(thread), { a: n });
    const list = saver.list(threadConfig(thread));
    await list.next();
    const pages = () => sdk.spans.filter(({ name }) => name.startsWith("list"));
    expect(pages()).toHaveLength(1);
    await collect(list);
    expect(pages()).toHaveLength(2);
  });

  it("are children of the active span, and parents of the spans of nested calls", async () => {
    const { config } = await putValues(saver, threadConfig(thread), { a: 1 });
    await putValues(saver, config, { a: 2 });
    const tracer = trace.getTracer("application");
    const latest = threadConfig(thread);
    await tracer.startActiveSpan("request", async (span: Span) => {
      await saver.getDeltaChannelHistory({ config: latest, channels: [TASKS] });
      span.end();
    });
    const walk = sdk.spans.find(({ name }) => name.startsWith("getDeltaChannelHistory"));
    const request = sdk.spans.find(({ name }) => name === "request");
    const reads = sdk.spans.filter(({ name }) => name.startsWith("getTuple"));
    expect(walk?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
    expect(reads.length).toBeGreaterThan(0);
    for (const read of reads) expect(read.parentSpanContext?.spanId).toBe(walk?.spanContext().spanId);
  });

  it("leave the caller's context as it was", async () => {
    const before = context.active();
    await saver.getTuple(threadConfig(thread));
    expect(context.active()).toBe(before);
  });

  it("record why a call failed, without its values", async () => {
    const secret = "hunter2";
    const checkpoint = checkpointOf(saver, { a: [secret, () => secret] });
    await expect(
      saver.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint)),
    ).rejects.toMatchObject({ code: "SERIALIZATION_FAILED" });
    const [span] = sdk.spans;
    expect(span?.status).toEqual({
      code: SpanStatusCode.ERROR,
      message: 'SERIALIZATION_FAILED in channel "a"',
    });
    expect(span?.attributes["error.type"]).toBe("SERIALIZATION_FAILED");
    expect(span?.events.map(({ name }) => name)).toEqual(["exception"]);
    expect(span?.events[0]?.attributes).toMatchObject({
      "exception.type": "SERIALIZATION_FAILED",
      "exception.message": 'SERIALIZATION_FAILED in channel "a"',
    });
    expect(JSON.stringify([span?.attributes, span?.events, span?.status])).not.toContain(secret);
  });

  it("record a refused lock as an outcome and not as an error", async () => {
    const [locked, release] = [new Gate(), new Gate()];
    const holding = saver.withThreadLock(thread, () => {
      locked.open();
      return release.opened;
    });
    await locked.opened;
    const refused = saver.withThreadLock(thread, () => undefined, { waitMs: 0 });
    await expect(refused).rejects.toMatchObject({ code: "THREAD_LOCKED" });
    release.open();
    await holding;
    const [, span] = sdk.spans;
    expect(span?.name).toBe("withThreadLock pg_locks");
    expect(span?.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span?.events).toEqual([]);
    expect(span?.attributes).toMatchObject({
      "langgraph.thread_id": thread,
      "langgraph.checkpoint.outcome": "THREAD_LOCKED",
    });
    expect(span?.attributes["error.type"]).toBeUndefined();
    const measured = await sdk.measured();
    expect(measured.get("langgraph.checkpoint.errors")?.dataPoints ?? []).toEqual([]);
    const durations = measured.get("db.client.operation.duration")?.dataPoints ?? [];
    expect(durations.map(({ attributes }) => attributes["langgraph.checkpoint.outcome"])).toContain(
      "THREAD_LOCKED",
    );
  });

  it("name the SQLSTATE of a failed call", async () => {
    await database.exec("drop table checkpoint_writes");
    await expect(saver.getTuple(threadConfig(thread))).rejects.toMatchObject({ sqlState: "42P01" });
    expect(sdk.spans[0]?.attributes).toMatchObject({
      "error.type": "42P01",
      "db.response.status_code": "42P01",
    });
  });

  it("hide data that the server quotes in an error", async () => {
    await database.exec(`
      create function refuse(thread_id text) returns boolean language plpgsql as $$
      begin raise exception 'no, %', thread_id; end $$;
      alter table checkpoints add check (refuse(thread_id))`);
    await expect(putValues(saver, threadConfig(thread), { a: 1 })).rejects.toMatchObject({
      sqlState: "P0001",
    });
    const [span] = sdk.spans;
    expect(span?.status.message).toBe("SQLSTATE P0001");
    expect(JSON.stringify([span?.events, span?.status])).not.toContain(thread);
  });

  it("contain no thread ids with telemetry.threadIds: false", async () => {
    const discreet = new PostgresSaver(database.source, undefined, { telemetry: { threadIds: false } });
    const { config } = await putValues(discreet, threadConfig(thread), { a: 1 });
    await discreet.getTuple(config);
    expect(sdk.spans).toHaveLength(2);
    expect(JSON.stringify(sdk.spans.map(({ attributes }) => attributes))).not.toContain(thread);
    await discreet.end();
  });

  it("and metrics go to the SDK that is registered at the time of the call", async () => {
    await saver.getTuple(threadConfig(thread));
    await sdk.stop();
    await saver.getTuple(threadConfig(thread));
    const other = new InMemorySdk().start();
    await saver.getTuple(threadConfig(thread));
    expect([sdk.spans.length, other.spans.length]).toEqual([1, 1]);
    expect((await other.measured()).get("db.client.operation.duration")?.dataPoints).toHaveLength(1);
    await other.stop();
  });

  it.each<[string, (saver: PostgresSaver) => Promise<unknown>]>([
    ["deleteThread checkpoints", (refusing) => refusing.deleteThread("\0")],
    ["list checkpoints", (refusing) => collect(refusing.list({}, { limit: -1 }))],
    ["exportThreads checkpoints", (refusing) => collect(refusing.exportThreads({ threads: ["\0"] }))],
    ["watch checkpoints", (refusing) => refusing.watch("").next()],
    ["withThreadLock pg_locks", (refusing) => refusing.withThreadLock("t", () => 1, { waitMS: 0 } as object)],
    ["health pg_class", async (refusing) => throwErrorOf(await refusing.health({ timeoutMs: 1 } as object))],
  ])("count refused arguments as one failed call: %s", async (name, refused) => {
    await expect(refused(saver)).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    expect(sdk.spans).toMatchObject([
      {
        name,
        status: { code: SpanStatusCode.ERROR },
        attributes: { "db.query.summary": name, "error.type": "INVALID_CONFIG" },
      },
    ]);
    const failed = { "db.query.summary": name, "error.type": "INVALID_CONFIG" };
    const measured = await sdk.measured();
    expect(measured.get("langgraph.checkpoint.errors")?.dataPoints).toMatchObject([
      { attributes: failed, value: 1 },
    ]);
    expect(measured.get("db.client.operation.duration")?.dataPoints).toMatchObject([
      { attributes: failed, value: { count: 1 } },
    ]);
  });

  it("come with metrics: duration, rows, bytes and errors, by operation and kind of error", async () => {
    await putValues(saver, threadConfig(thread), { a: 1 });
    await putValues(saver, threadConfig(thread), { a: 2 });
    await expect(saver.deleteThread("\0")).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    const measured = await sdk.measured();
    const duration = measured.get("db.client.operation.duration");
    expect(duration?.descriptor.unit).toBe("s");
    expect(duration?.dataPoints).toMatchObject([
      {
        attributes: { "db.operation.name": "put", "db.system.name": "postgresql" },
        value: {
          count: 2,
          buckets: { boundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10] },
        },
      },
      { attributes: { "db.operation.name": "deleteThread", "error.type": "INVALID_CONFIG" } },
    ]);
    expect([...measured.keys()].sort()).toEqual([
      "db.client.operation.duration",
      "db.client.response.returned_rows",
      "langgraph.checkpoint.bytes",
      "langgraph.checkpoint.errors",
      "langgraph.checkpoint.pending",
    ]);
    const points = JSON.stringify([...measured.values()].map(({ dataPoints }) => dataPoints));
    expect(points).not.toContain(thread);
  });

  it("come with a metric of the calls that have not settled", async () => {
    const pending = async (): Promise<unknown> =>
      (await sdk.measured()).get("langgraph.checkpoint.pending")?.dataPoints;
    const batch = { attributes: { "db.operation.name": "batch" } };
    expect(await saver.batch(pending)).toMatchObject([{ ...batch, value: 1 }]);
    const refused = saver.batch(() => {
      throw new Error("refused");
    });
    await expect(refused).rejects.toThrow("refused");
    expect(await pending()).toMatchObject([{ ...batch, value: 0 }]);
  });

  it("come with a metric of whether the last health() was ok", async () => {
    const healthy = async (): Promise<unknown> =>
      (await sdk.measured()).get("langgraph.checkpoint.healthy")?.dataPoints;
    const health = { attributes: { "db.operation.name": "health", "db.system.name": "postgresql" } };
    await saver.health({ signal: AbortSignal.abort() });
    expect(await healthy()).toMatchObject([{ ...health, value: 0 }]);
    await saver.health();
    expect(await healthy()).toMatchObject([{ ...health, value: 1 }]);
  });

  it("come with metrics of the memory for splices: hits, misses and bytes", async () => {
    const spliced = new PostgresSaver(database.source, undefined, { splices: true });
    const list = ["long ".repeat(2_000)];
    let put = await putValues(spliced, threadConfig(thread), { list });
    for (let step = 0; step < 3; step++) {
      list.push("more");
      put = await putValues(spliced, put.config, { list }, put.checkpoint);
    }
    // It has not read the thread, so it remembers nothing of it.
    const other = new PostgresSaver(database.source, undefined, { splices: true });
    await putValues(other, put.config, { list }, put.checkpoint);
    const measured = await sdk.measured();
    expect(measured.get("langgraph.checkpoint.splice.lookups")?.dataPoints).toMatchObject([
      { attributes: { "langgraph.checkpoint.outcome": "hit" }, value: 3 },
      { attributes: { "langgraph.checkpoint.outcome": "miss" }, value: 1 },
    ]);
    const [bytes] = measured.get("langgraph.checkpoint.splice.memory")?.dataPoints ?? [];
    expect(bytes?.value).toBeGreaterThan(20_000);
    expect(bytes?.value).toBeLessThan(30_000);
    await Promise.all([spliced.end(), other.end()]);
    const [afterEnd] = (await sdk.measured()).get("langgraph.checkpoint.splice.memory")?.dataPoints ?? [];
    expect(afterEnd?.value).toBe(0);
  });
});

/** Rejects with the error that a health check reports. */
function throwErrorOf({ error }: Health): Promise<never> {
  return Promise.reject(error ?? new Error("the check found no error"));
}

describeServer("spans of a server", (target) => {
  let sdk: InMemorySdk;
  beforeEach(() => {
    sdk = new InMemorySdk().start();
  });
  afterEach(() => sdk.stop());

  it("name the server's address and the database, and never the password", async () => {
    const database = await target.createDatabase();
    const { hostname, port, pathname, password } = new URL(database.source);
    const pool = new pg.Pool({ connectionString: database.source });
    const savers = [new PostgresSaver(database.source), new PostgresSaver(pool)];
    for (const saver of savers) {
      await saver.setup();
      await saver.getTuple(threadConfig(newThread()));
      await saver.end();
    }
    await pool.end();
    expect(sdk.spans).toHaveLength(4);
    for (const { attributes } of sdk.spans) {
      expect(attributes).toMatchObject({
        "server.address": hostname,
        "server.port": Number(port),
        "db.namespace": pathname.slice(1),
      });
      if (password !== "") expect(JSON.stringify(attributes)).not.toContain(password);
    }
  });
});
