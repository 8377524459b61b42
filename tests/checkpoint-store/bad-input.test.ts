import { afterAll, describe, expect, it } from "@jest/globals";
import {
  BackendCheckpointStore,
  type CheckpointStore,
  createCheckpoint,
  MemoryCheckpointStore,
} from "../../src/checkpoint-store/index.js";
import { InvalidConfigError } from "../../src/errors/index.js";
import { LONG_KEY, throwing, throwingProxy } from "../saver/bad-input/bad-input.js";

/** Values by what is wrong with them. */
type Bad = Readonly<Record<string, unknown>>;

const KEYS: Bad = {
  missing: undefined,
  null: null,
  empty: "",
  "a number": 1,
  "a list": ["a"],
  "with U+0000": "a\0",
  "with a lone surrogate": "a\ud800",
  "longer than 2,000 bytes": LONG_KEY,
  "a Map": new Map([["a", "a"]]),
};
const NODE_NAMES: Bad = {
  missing: undefined,
  null: null,
  "a number": 1,
  "with U+0000": "a\0",
  "with a lone surrogate": "\udc00",
};
const METADATA: Bad = {
  "a text": "a",
  "a number": 1,
  "a list": [["execution_id", "a"]],
  "a Map": new Map([["execution_id", "a"]]),
  "a Date": new Date(0),
  "an object of a class": new URL("https://example.org"),
};
const LISTED_IDS: Bad = {
  "with U+0000": "a\0",
  "with a lone surrogate": "\ud800",
  "longer than 2,000 bytes": LONG_KEY,
};
const TIMES: Bad = {
  missing: undefined,
  null: null,
  "an invalid Date": new Date(Number.NaN),
  "a text": "2026-11-22T14:05:06Z",
  "a number": 0,
  "before the year 1": new Date("-000001-12-31T23:59:59.999Z"),
  "after the year 9999": new Date("+010000-01-01T00:00:00Z"),
  "an object that only has the prototype": Object.create(Date.prototype) as unknown,
  "a Proxy that throws": throwingProxy(),
};
const VERSIONS: Bad = {
  missing: undefined,
  null: null,
  negative: -1,
  fractional: 1.5,
  NaN: Number.NaN,
  infinite: Infinity,
  "larger than 2^31 - 1": 2 ** 31,
  "a BigInt": 1n,
  "a text": "1",
};
const COUNTS: Bad = {
  zero: 0,
  negative: -1,
  fractional: 1.5,
  NaN: Number.NaN,
  infinite: Infinity,
  "beyond 2^53": 2 ** 60,
  "a text": "1",
  "a BigInt": 1n,
};
const ORDERS: Bad = { unknown: "newest", empty: "", "in capitals": "DESC", "a number": -1 };
const SIGNALS: Bad = {
  "a text": "abort",
  "a controller": new AbortController(),
  "an object that looks alike": { aborted: false, addEventListener: () => undefined },
  "an object that only has the prototype": Object.create(AbortSignal.prototype) as unknown,
};
const OPTIONS: Bad = {
  "a text": "all",
  "a number": 1,
  "a list": [1],
  "a Proxy that throws": throwingProxy(),
};
const CHECKPOINTS: Bad = {
  missing: undefined,
  null: null,
  "a text": "a",
  "a list": [],
  "a Proxy that throws": throwingProxy(),
};
const SCOPES: Bad = {
  missing: undefined,
  null: null,
  "a number": 1,
  "a list": ["a"],
  "a Proxy that throws": throwingProxy(),
};

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

describe("bad input of a checkpoint store", () => {
  const stores = { memory: new MemoryCheckpointStore() };
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

  it("stores nothing", async () => {
    expect(await stores.memory.backend.count({})).toBe(0);
  });
});
