import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import type { WatchEvent } from "../../src/inspector/api/threads.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

const LISTENING = `select from pg_stat_activity where datname = current_database() and query like 'listen %'`;

/** Reads server-sent events. */
class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor({ body }: Response) {
    if (body === null) throw new Error("the answer has no body");
    this.#reader = body.getReader();
  }

  /** The next event, without comments; `undefined` at the end of the stream. */
  async next(): Promise<{ readonly event: string; readonly data: unknown } | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const lines = this.#text.slice(0, end).split("\n");
        this.#text = this.#text.slice(end + 2);
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const data = field("data");
        if (data !== undefined) return { event: field("event") ?? "message", data: JSON.parse(data) };
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** The next checkpoint. */
  async point(): Promise<WatchEvent> {
    const next = await this.next();
    if (next?.event !== "message") throw new Error(`expected an event, but got ${JSON.stringify(next)}`);
    return next.data as WatchEvent;
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }
}

describeEachTarget("the events of a thread", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let calls: InspectorCalls;
  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source, undefined, { notify: true });
    calls = new InspectorCalls(saver);
  });
  afterEach(() => saver.end());

  async function open(threadId: string): Promise<EventReader> {
    const response = await calls.load("events", { threadId });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    return new EventReader(response);
  }

  it("begin with the newest checkpoint, and go on with each one that is stored, and with its interrupts and errors", async () => {
    const { config, checkpoint } = await putValues(saver, threadConfig("1"), { title: "a" });
    await putValues(saver, threadConfig("2"), { title: "a" });
    const events = await open("1");
    expect(await events.point()).toMatchObject({
      ...{ threadId: "1", namespace: "", point: { checkpointId: checkpoint.id, writes: 0, source: "loop" } },
    });
    const inner = await putValues(saver, threadConfig("1", { checkpoint_ns: "sub" }), { title: "b" });
    expect(await events.point()).toMatchObject({
      namespace: "sub",
      point: { checkpointId: inner.checkpoint.id },
    });
    await saver.putWrites(config, [["__interrupt__", "?"]], "task");
    expect(await events.point()).toMatchObject({
      ...{
        namespace: "",
        point: { checkpointId: checkpoint.id, writes: 1, interrupted: true, failed: false },
      },
    });
    await events.close();
  });

  it("come from a look every two seconds where savers announce nothing", async () => {
    const silent = new PostgresSaver(database.source);
    const { config, checkpoint } = await putValues(silent, threadConfig("1"), { title: "a" });
    const events = await open("1");
    await events.point();
    const next = await putValues(silent, config, { title: "b" }, checkpoint);
    expect((await events.point()).point).toMatchObject({
      ...{ checkpointId: next.checkpoint.id, parentId: checkpoint.id },
    });
    await events.close();
    await silent.end();
  });

  it("end when the saver is closed", async () => {
    const events = await open("1");
    await saver.end();
    expect(await events.next()).toBeUndefined();
  });

  it("end with an error that names its code", async () => {
    const other = new PostgresSaver(database.source, undefined, { schema: "absent" });
    const events = new EventReader(await new InspectorCalls(other).load("events", { threadId: "1" }));
    expect(await events.next()).toMatchObject({ event: "failure", data: { code: "MIGRATION_REQUIRED" } });
    expect(await events.next()).toBeUndefined();
    await other.end();
  });

  it("are asked for with a thread, by a caller that is let in, from the page itself", async () => {
    expect((await calls.load("events", {})).status).toBe(400);
    const foreign = { headers: { "sec-fetch-site": "cross-site" } };
    expect((await calls.load("events", { threadId: "1" }, foreign)).status).toBe(403);
    const closed = new InspectorCalls(saver, { authorize: () => false });
    expect((await closed.load("events", { threadId: "1" })).status).toBe(403);
    expect((await calls.load("events", { threadId: "1" }, { method: "HEAD" })).status).toBe(405);
  });
});

describeServer("the events of a thread on a server", (target) => {
  it("stop listening when the page goes away", async () => {
    const database = await target.sharedDatabase();
    await using saver = new PostgresSaver(database.source);
    const page = new AbortController();
    const calls = new InspectorCalls(saver);
    const events = new EventReader(await calls.load("events", { threadId: "1" }, { signal: page.signal }));
    const next = events.next();
    await until(async () => (await database.query(LISTENING)).length > 0);
    page.abort();
    await until(async () => (await database.query(LISTENING)).length === 0);
    expect(await next).toBeUndefined();
  });

  it("are announced at once only where the saver can listen, as the overview says", async () => {
    const { source } = await target.sharedDatabase();
    await using saver = new PostgresSaver(source);
    expect((await new InspectorCalls(saver).read("overview", {})).canWatch).toBe(true);
    const kysely = new Kysely<object>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: source }) }),
    });
    const deaf = new InspectorCalls(new PostgresSaver(kysely));
    expect((await deaf.read("overview", {})).canWatch).toBe(false);
    await kysely.destroy();
  });
});
