import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { BaseMessage } from "@langchain/core/messages";
import { DeserializationError } from "../../src/errors/index.js";
import {
  AesGcmSerializer,
  CompressedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../../src/serde/index.js";
import { LANGCHAIN_CLASSES } from "../../src/serde/langchain/classes.js";
import { encode } from "../../src/serde/msgpack/msgpack-encoder.js";
import { EXT } from "../../src/serde/msgpack/ext-codes.js";
import { isObject } from "../../src/serde/objects/inspect-object.js";
import { extension, pack } from "../../src/serde/msgpack/wire.js";
import { calledFunctions } from "./called-functions.js";
import { type CoreExport, coreExports } from "./core-exports.js";
import { builtIns } from "./built-ins.js";

const SECRET = "sk-never-in-a-state";
const serializers = { MsgpackSerializer: new MsgpackSerializer(), JsonSerializer: new JsonSerializer() };
const keys = [{ id: "1", key: Buffer.alloc(32, 1) }];
const loadsTyped = (type: string, data: Uint8Array | string): Promise<unknown> =>
  serializers.MsgpackSerializer.loadsTyped(type, data);

/** The arguments in a hostile row: LangChain records of secrets, names with a meaning in JavaScript, and data. */
const ARGUMENTS: readonly unknown[] = [
  [],
  {
    content: "text",
    key: { lc: 1, type: "secret", id: ["HOSTILE_API_KEY"] },
    then: "then",
    toJSON: { a: 1 },
    constructor: "constructor",
    ["__proto__"]: { polluted: true },
    bound: [],
    first: {},
    last: {},
    func: "func",
    template: "{{#a}}b{{/a}}",
    templateFormat: "mustache",
    inputVariables: [],
  },
];

interface Row {
  readonly type: string;
  readonly data: Uint8Array;
}

function rowsNaming({ entry, name }: CoreExport): Row[] {
  return ARGUMENTS.flatMap((argument) => [...msgpackRows(entry, name, argument), ...jsonRows(entry, name, argument)]); // oxfmt-ignore
}

function msgpackRows(entry: string, name: string, argument: unknown): Row[] {
  const modules = [`langchain_core.${entry.replaceAll("/", ".")}`, `@langchain/core/${entry}`];
  const named = modules.flatMap((module) =>
    [0, 1, 2, 3, 4, 5].map((code) => extension(code, encode([module, name, argument, name]))),
  );
  const own = [...Object.values(EXT), 0x7f].map((code) => extension(code, textOf(entry, name, argument)));
  return [...named, ...own].map((wire) => ({ type: "msgpack", data: pack(wire) }));
}

function jsonRows(entry: string, name: string, argument: unknown): Row[] {
  const data = Buffer.from(textOf(entry, name, argument));
  const built = { lc: 2, type: "constructor", method: name, args: [argument], kwargs: argument };
  const others = [[name], ["langchain_core", ...entry.split("/"), name]].map((id) =>
    Buffer.from(JSON.stringify({ ...built, id })),
  );
  return [data, ...others].map((bytes) => ({ type: "json", data: bytes }));
}

function textOf(entry: string, name: string, kwargs: unknown): Uint8Array {
  const id = ["langchain_core", ...entry.split("/"), name];
  return Buffer.from(JSON.stringify({ lc: 1, type: "constructor", id, kwargs }));
}

/** The result of each serializer for a row: the value, or the name of the error. */
async function readRow({ type, data }: Row): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const serializer of Object.values(serializers))
    values.push(await serializer.loadsTyped(type, data).catch(refusal));
  return values;
}

function refusal(error: unknown): string {
  if (error instanceof DeserializationError) return error.name;
  throw error;
}

const ALLOWED: ReadonlySet<unknown> = new Set([
  ...Object.values(LANGCHAIN_CLASSES).map(({ prototype }) => prototype as unknown),
  ...[Object, Array, Set, Map, Date, RegExp, Uint8Array, Error].map((Class) => Class.prototype as unknown),
]);

/** The first part of a value that is neither data nor an instance of a class on the list. */
function firstForeignPart(value: unknown): unknown {
  if (typeof value === "function") return value;
  if (!isObject(value)) return undefined;
  if (!ALLOWED.has(Object.getPrototypeOf(value))) return value;
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property === undefined || !("value" in property)) return `an accessor ${String(key)}`;
    const found = firstForeignPart(property.value);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function readAll(exports: readonly CoreExport[]): Promise<void> {
  for (const named of exports)
    for (const row of rowsNaming(named))
      for (const value of await readRow(row)) {
        const foreign = firstForeignPart(value);
        if (foreign !== undefined) throw new Error(`${inspect(named)} became ${inspect(foreign)}`);
        if (inspect(value, { depth: Infinity }).includes(SECRET))
          throw new Error(`${inspect(named)} read the environment`);
      }
}

describe("a row that names an export of @langchain/core runs none of its code", () => {
  let exports: CoreExport[];
  const rejections: unknown[] = [];
  const note = (reason: unknown): number => rejections.push(reason);

  beforeAll(async () => {
    process.env.HOSTILE_API_KEY = SECRET;
    process.on("unhandledRejection", note);
    exports = await coreExports();
  });

  afterAll(() => {
    process.off("unhandledRejection", note);
    delete process.env.HOSTILE_API_KEY;
  });

  test("(the tests cover every export of every entry point)", () => {
    expect(exports.length).toBeGreaterThan(400);
    expect(exports).toContainEqual({ entry: "utils/env", name: "getEnvironmentVariable" });
  });

  test("and is read as data or an instance of a class on the list, without calling anything else", async () => {
    const before = builtIns();
    const foreign = exports.filter(({ name }) => !Object.hasOwn(LANGCHAIN_CLASSES, name));
    const called = await calledFunctions("@langchain/core/", () => readAll(foreign));
    expect([...new Set(called)]).toEqual([]);
    await readAll(exports.filter(({ name }) => Object.hasOwn(LANGCHAIN_CLASSES, name)));
    expect(builtIns()).toEqual(before);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    await new Promise(setImmediate);
    expect(rejections).toEqual([]);
  });

  test("also inside compression and encryption", async () => {
    for (const { type, data } of exports.flatMap(({ entry, name }) =>
      msgpackRows(entry, name, []).slice(-9),
    )) {
      const inner = { dumpsTyped: () => Promise.resolve<[string, Uint8Array]>([type, data]), loadsTyped };
      const layered = new AesGcmSerializer(new CompressedSerializer(inner, { thresholdBytes: 0 }), { keys });
      const value: unknown = await layered.loadsTyped(...(await layered.dumpsTyped(null))).catch(refusal);
      expect(firstForeignPart(value)).toBeUndefined();
    }
  });

  test("and a message stays a message with any names of fields", async () => {
    for (const name of ["HumanMessage", "AIMessage", "AIMessageChunk", "ToolMessage", "RemoveMessage"])
      for (const row of rowsNaming({ entry: "messages", name }))
        for (const value of await readRow(row))
          if (isObject(value) && BaseMessage.isInstance(value)) {
            expect(Object.getPrototypeOf(value)).toBe(LANGCHAIN_CLASSES[name as "AIMessage"].prototype);
            expect(JSON.stringify(value)).not.toContain(SECRET);
          }
  });
});

describe("a key __proto__ replaces no prototype", () => {
  const proto = { ["__proto__"]: { polluted: true } };

  test("of a message whose own fields are listed", async () => {
    const js = { own: ["__proto__", "content"], given: ["__proto__"], same: {}, kwargs: proto };
    const fields = { content: "text", ...proto, lc_js: js };
    const row = pack(
      extension(EXT.PYDANTIC_V2, encode(["langchain_core.messages.human", "HumanMessage", fields])),
    );
    const message = await loadsTyped("msgpack", row);
    expect(Object.getPrototypeOf(message)).toBe(LANGCHAIN_CLASSES.HumanMessage.prototype);
    expect(message).toHaveProperty("content", "text");
  });

  test("of the goto of a Command", async () => {
    const row = pack(
      extension(EXT.PYTHON_KWARGS, encode(["langgraph.types", "Command", { goto: [[proto]] }])),
    );
    await expect(loadsTyped("msgpack", row)).rejects.toBeInstanceOf(DeserializationError);
  });
});
