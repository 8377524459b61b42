import { describe, expect, test } from "@jest/globals";
import { isArray, isRecord } from "../objects/inspect-object.js";
import { asPythonInterrupts } from "./as-python.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import { pythonOriginOf, rememberOrigin } from "./python-origin.js";

const ORIGIN = { code: 2, module: "langgraph.types", name: "Interrupt" };

describe("asPythonInterrupts", () => {
  test.each([
    { value: "really?", id: "i" },
    { id: undefined, value: null },
    { id: "i", value: 1, response_schema: { type: "string" } },
  ])("marks an interrupt for Python, and changes nothing for JavaScript: %p", async (interrupt) => {
    const marked = asPythonInterrupts(interrupt);
    expect(marked).toStrictEqual(interrupt);
    expect(isRecord(marked) && pythonOriginOf(marked)).toEqual(ORIGIN);
    expect(pythonOriginOf(interrupt)).toBeUndefined();
    const serializer = new MsgpackSerializer();
    expect(await serializer.loadsTyped(...(await serializer.dumpsTyped(marked)))).toStrictEqual(interrupt);
  });

  // LangGraph.js writes a list of interrupts for each task from 1.7 on.
  test.each([1, 2])(
    "marks each of a list of %d interrupts, and changes nothing for JavaScript",
    async (length) => {
      const interrupts = Array.from({ length }, (_, index) => ({
        id: `i${index}`,
        value: { at: new Date(index) },
      }));
      const marked = asPythonInterrupts(interrupts);
      expect(marked).toStrictEqual(interrupts);
      expect(isArray(marked) && marked.map((item) => isRecord(item) && pythonOriginOf(item))).toEqual(
        interrupts.map(() => ORIGIN),
      );
      expect(interrupts.map(pythonOriginOf)).toEqual(interrupts.map(() => undefined));
      const serializer = new MsgpackSerializer();
      expect(await serializer.loadsTyped(...(await serializer.dumpsTyped(marked)))).toStrictEqual(interrupts);
    },
  );

  test.each([
    ["a number", 1],
    ["a list with something else in it", [{ id: "i", value: 1 }, 1]],
    ["a list with a hole", Object.assign([], { 1: { id: "i", value: 1 } })],
    ["a list with a property", Object.assign([{ id: "i", value: 1 }], { more: 2 })],
    ["a list with a symbol", Object.assign([{ id: "i", value: 1 }], { [Symbol("s")]: 2 })],
    ["a list in a list", [[{ id: "i", value: 1 }]]],
    ["an object with something else", { id: "i", value: 1, more: 2 }],
    ["an object without a value", { id: "i" }],
    ["an instance of a class", new URL("http://a/")],
  ])("returns any other value unchanged: %s", (_name, value) => {
    expect(asPythonInterrupts(value)).toBe(value);
  });

  test("returns a value that Python wrote as another class unchanged", () => {
    const other = rememberOrigin({ value: 1 }, { code: 2, module: "app", name: "Other" });
    expect(asPythonInterrupts(other)).toBe(other);
  });
});
