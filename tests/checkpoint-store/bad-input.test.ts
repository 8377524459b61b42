import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, describe, expect, it } from "@jest/globals";
import {
  BackendCheckpointStore,
  type CheckpointStore,
  createCheckpoint,
  MemoryCheckpointStore,
  PostgresCheckpointStore,
} from "../../src/checkpoint-store/index.js";
import { RedisCheckpointStore } from "../../src/checkpoint-store/redis/index.js";
import { InvalidConfigError } from "../../src/errors/index.js";
import { cycle, LONG_KEY, throwing, throwingProxy } from "../saver/bad-input/bad-input.js";
import {
  type Bad,
  KEYS,
  NODE_NAMES,
  METADATA,
  LISTED_IDS,
  TIMES,
  VERSIONS,
  COUNTS,
  ORDERS,
  SIGNALS,
  OPTIONS,
  CHECKPOINTS,
  SCOPES,
} from "./bad-values.js";

/** A call that must be refused. The arguments have the types of good ones. */
interface BadCall {
  readonly name: string;
  readonly field: string;
  readonly call: (store: CheckpointStore) => Promise<unknown>;
}

const good = createCheckpoint({ executionId: "e", threadId: "t", nodeName: "n", state: { a: 1 } });

function badCalls(): BadCall[] {
  const calls: BadCall[] = [];
  const add = (
    method: string,
    field: string,
    bad: Bad,
    call: (store: CheckpointStore, value: never) => Promise<unknown>,
  ): void => {
    for (const [what, value] of Object.entries(bad)) {
      const name = `${method}: ${field}, ${what}`;
      calls.push({ name, field, call: (store) => call(store, value as never) });
    }
  };
  const addOptions = (
    method: string,
    call: (store: CheckpointStore, options: never) => Promise<unknown>,
  ): void => {
    add(method, "options", OPTIONS, call);
    add(method, "options.misspelt", { "an unknown option": { misspelt: 1 } }, call);
    add(method, "options.signal", wrapped("signal", SIGNALS), call);
  };
  add("save", "checkpoint", CHECKPOINTS, (store, value) => store.save(value));
  // Where a Proxy is within the checkpoint can't be known: it may throw while the message of the error is built.
  for (const field of ["id", "nodeName", "metadata"]) {
    add("save", "checkpoint", { [`a Proxy that throws as ${field}`]: throwingProxy() }, (store, value) =>
      store.save({ ...good, [field]: value }),
    );
  }
  add("save", "checkpoint", { "a getter that throws": throwing("id") }, (store, value) => store.save(value));
  add("save", "checkpoint.extra", { "an unknown field": { ...good, extra: 1 } }, (store, value) =>
    store.save(value),
  );
  const fields = { id: KEYS, nodeName: NODE_NAMES, metadata: METADATA, timestamp: TIMES, version: VERSIONS };
  for (const [field, bad] of Object.entries(fields)) {
    add("save", `checkpoint.${field}`, bad, (store, value) => store.save({ ...good, [field]: value }));
  }
  for (const key of ["execution_id", "thread_id"]) {
    add("save", `checkpoint.metadata.${key}`, LISTED_IDS, (store, value) =>
      store.save({ ...good, metadata: { [key]: value } }),
    );
  }
  add("save", "options.keepLast", wrapped("keepLast", COUNTS), (store, value) => store.save(good, value));
  add("save", "options.keepLast", { "without execution and thread": null }, (store, metadata) =>
    store.save({ ...good, metadata }, { keepLast: 1 }),
  );
  addOptions("save", (store, options) => store.save(good, options));
  for (const method of ["load", "delete"] as const) {
    add(method, "checkpointId", KEYS, (store, id) => store[method](id));
    addOptions(method, (store, options) => store[method]("c", options));
  }
  for (const method of ["list", "latest", "clear"] as const) {
    add(method, "scope", SCOPES, (store, scope) => store[method](scope));
    add(method, "scope", { empty: "", "with U+0000": "\0", "too long": LONG_KEY }, (store, scope) =>
      store[method](scope),
    );
    for (const key of ["executionId", "threadId"]) {
      const keys = Object.fromEntries(Object.entries(KEYS).filter(([what]) => what !== "missing"));
      add(method, `scope.${key}`, wrapped(key, keys), (store, scope) => store[method](scope));
    }
    add(method, "scope.executionId", { "without an id": {} }, (store, scope) => store[method](scope));
    add(
      method,
      "scope.threadId",
      { "beside an execution": { executionId: "e", threadId: "t" } },
      (store, scope) => store[method](scope),
    );
    addOptions(method, (store, options) => store[method]("e", options));
  }
  add("list", "options.limit", wrapped("limit", COUNTS), (store, options) => store.list("e", options));
  add("list", "options.order", wrapped("order", ORDERS), (store, options) => store.list("e", options));
  addOptions("setup", (store, options) => store.setup(options));
  return calls;
}

/** Objects that have the bad values as a property. */
function wrapped(key: string, bad: Bad): Bad {
  return Object.fromEntries(Object.entries(bad).map(([what, value]) => [what, { [key]: value }]));
}

/** Options of constructors, each with the field that the error names. */
const BAD_OPTIONS: readonly (readonly [what: string, field: string, options: unknown])[] = [
  ...Object.entries({ null: null, ...OPTIONS }).map(([what, value]) => [what, "options", value] as const),
  ["an unknown option", "options.keepLast", { keepLast: 3 }],
  ["an unknown kind of concurrency", "options.concurrency", { concurrency: "pessimistic" }],
  ["a concurrency that is no text", "options.concurrency", { concurrency: true }],
  ...Object.entries(COUNTS).map(
    ([what, value]) =>
      [`a bound that is ${what}`, "options.maxCheckpointBytes", { maxCheckpointBytes: value }] as const,
  ),
  ["a serializer without methods", "serde", { serde: {} }],
  ["a serializer that is null", "serde", { serde: null }],
  ["a serializer that is empty text", "serde", { serde: "" }],
  ["a serializer that is a text", "serde", { serde: "json" }],
  ["a logger without methods", "options.logger", { logger: {} }],
  ["telemetry that is a text", "options.telemetry", { telemetry: "on" }],
  ["an unknown choice of telemetry", "options.telemetry.names", { telemetry: { names: true } }],
];

const BAD_POSTGRES_OPTIONS: readonly (readonly [what: string, field: string, options: unknown])[] = [
  ...BAD_OPTIONS,
  ["an empty schema", "options.schema", { schema: "" }],
  ["a schema that is a number", "options.schema", { schema: 1 }],
  ["an empty table", "options.table", { table: "" }],
  ["a table that is null", "options.table", { table: null }],
  ["a table with U+0000", "options.table", { table: "a\0" }],
  ["a table whose name Postgres would cut off", "options.table", { table: "t".repeat(64) }],
  ["a table whose steps would be recorded beside others", "options.table", { table: "store" }],
  ["prepare that is a text", "options.prepare", { prepare: "yes" }],
  ["retry that is true", "options.retry", { retry: true }],
  ["a misspelt option of retry", "options.retry.misspelt", { retry: { misspelt: 1 } }],
  ["a timeout of zero", "options.statementTimeoutMs", { statementTimeoutMs: 0 }],
  ["a timeout that is a text", "options.statementTimeoutMs", { statementTimeoutMs: "1s" }],
];

const BAD_SOURCES: Bad = {
  missing: undefined,
  null: null,
  "a number": 1,
  "a Proxy that throws": throwingProxy(),
};

describe("bad input of a checkpoint store", () => {
  // Nothing listens there: a call that sends something before it checks its arguments fails by another error, after its retries.
  const stores = {
    memory: new MemoryCheckpointStore(),
    postgres: new PostgresCheckpointStore("postgres://127.0.0.1:1/none", { retry: false }),
    redis: new RedisCheckpointStore("redis://127.0.0.1:1", { retry: false }),
  };
  afterAll(async () => {
    await Promise.all(Object.values(stores).map((store) => store.end()));
  });

  it.each(badCalls())(
    "is refused before any I/O by an error that names the field: $name",
    async ({ field, call }) => {
      for (const store of Object.values(stores)) {
        const error = await call(store).then(
          () => "not refused",
          (reason: unknown) => reason,
        );
        expect(error).toBeInstanceOf(InvalidConfigError);
        expect(error).toHaveProperty("field", field);
      }
    },
  );

  it.each(BAD_OPTIONS)("is refused by the constructors: %s", (_, field, options) => {
    const constructors = [
      () => new MemoryCheckpointStore(options as never),
      () => new BackendCheckpointStore(stores.memory.backend, options as never),
    ];
    for (const construct of constructors) {
      expect(construct).toThrow(InvalidConfigError);
      expect(construct).toThrow(expect.objectContaining({ field }));
    }
  });

  it.each(BAD_POSTGRES_OPTIONS)("is refused by PostgresCheckpointStore: %s", (_, field, options) => {
    for (const construct of [
      () => new PostgresCheckpointStore("memory://", options as never),
      () => PostgresCheckpointStore.fromConnString("memory://", options as never),
    ]) {
      expect(construct).toThrow(InvalidConfigError);
      expect(construct).toThrow(expect.objectContaining({ field }));
    }
  });

  it.each(Object.entries(BAD_SOURCES))(
    "is refused as the source of PostgresCheckpointStore: %s",
    (_, source) => {
      const construct = () => new PostgresCheckpointStore(source as never);
      expect(construct).toThrow(InvalidConfigError);
      expect(construct).toThrow(expect.objectContaining({ field: "source" }));
    },
  );

  it.each([
    ["a function", { tools: [() => 1] }, { code: "SERIALIZATION_FAILED", path: "state.tools[0]" }],
    ["a cycle", cycle(), { code: "SERIALIZATION_FAILED", path: "state.self" }],
    ["a getter that throws", throwing("a"), { code: "SERIALIZATION_FAILED", path: "state" }],
    ["a Proxy that throws", throwingProxy(), { code: "SERIALIZATION_FAILED", path: "state" }],
  ])("is refused as a state before any I/O: %s", async (_, state, refusal) => {
    for (const store of Object.values(stores)) {
      const [inState, checkpointId] = [store.save({ ...good, state }), good.id];
      await expect(inState).rejects.toMatchObject({ ...refusal, checkpointId });
    }
  });

  it("leaves no rejection unhandled where the call has been aborted as well", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const bad = { ...good, state: () => 1 };
    const aborted = { signal: AbortSignal.abort() };
    const { memory } = stores;
    for (const call of [() => memory.save(bad, aborted), () => memory.saveMany([bad], aborted)])
      await expect(call()).rejects.toMatchObject({ code: "ABORTED" });
    await nextTurn();
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  it("stores nothing", async () => {
    expect(await stores.memory.backend.count({})).toBe(0);
  });
});
