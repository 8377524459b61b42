import { describe, expect, test } from "@jest/globals";
import { asPythonInterrupt } from "./python-interrupt.js";
import { isRecord } from "./msgpack/prototypes.js";
import { MsgpackSerializer } from "./msgpack-serializer.js";
import { pythonOriginOf, rememberOrigin } from "./python-origin.js";

const ORIGIN = { code: 2, module: "langgraph.types", name: "Interrupt" };

describe("an interrupt of LangGraph.js", () => {
  test.each([
    { value: "really?", id: "i" },
    { id: undefined, value: null },
    { id: "i", value: 1, response_schema: { type: "string" } },
  ])("is one for Python, and the same for JavaScript: %p", async (interrupt) => {
    const marked = asPythonInterrupt(interrupt);
    expect(marked).toStrictEqual(interrupt);
    expect(isRecord(marked) && pythonOriginOf(marked)).toEqual(ORIGIN);
    expect(pythonOriginOf(interrupt)).toBeUndefined();
    const serializer = new MsgpackSerializer();
    expect(await serializer.loadsTyped(...(await serializer.dumpsTyped(marked)))).toStrictEqual(interrupt);
  });
});

describe("what is no interrupt stays as it is", () => {
  test.each([
    ["a number", 1],
    ["a list", [{ id: "i", value: 1 }]],
    ["an object with something else", { id: "i", value: 1, more: 2 }],
    ["an object without a value", { id: "i" }],
    ["an object of a class of its own", new URL("http://a/")],
  ])("%s", (_name, value) => {
    expect(asPythonInterrupt(value)).toBe(value);
  });

  test("what Python wrote as another class", () => {
    const other = rememberOrigin({ value: 1 }, { code: 2, module: "app", name: "Other" });
    expect(asPythonInterrupt(other)).toBe(other);
  });
});
