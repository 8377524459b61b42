import { describe, expect, test } from "@jest/globals";
import { JsonSerializer, MsgpackSerializer } from "../../serde/index.js";
import { fromStoredBarrier, toStoredBarrier } from "./special-values.js";

const CHANNEL = "join:left+right:end";

describe("the value of a barrier", () => {
  test.each([[[]], [["left"]], [["left", "right"]], [[["left"], true]], [[[], false]]])(
    "comes back as LangGraph.js made it, in both layouts: %j",
    async (value) => {
      for (const serializer of [new MsgpackSerializer(), new JsonSerializer()]) {
        const [type, bytes] = await serializer.dumpsTyped(toStoredBarrier(CHANNEL, value));
        expect(fromStoredBarrier(CHANNEL, await serializer.loadsTyped(type, bytes))).toStrictEqual(value);
      }
    },
  );

  test("is a set for Python", async () => {
    const serializer = new MsgpackSerializer();
    const read = async (value: unknown) =>
      serializer.loadsTyped(...(await serializer.dumpsTyped(toStoredBarrier(CHANNEL, value))));
    expect(await read(["left"])).toEqual(new Set(["left"]));
    expect(await read([])).toEqual(new Set());
    expect(await read([["left"], true])).toEqual([new Set(["left"]), true]);
  });

  test("is unchanged for other channels", () => {
    for (const value of [["left"], new Set(["left"]), [["a"], true], { a: 1 }]) {
      expect(toStoredBarrier("messages", value)).toBe(value);
      expect(fromStoredBarrier("messages", value)).toBe(value);
    }
    for (const value of [[1, 2], [["a"], 1], ["a", true], { a: 1 }, null]) {
      expect(toStoredBarrier(CHANNEL, value)).toBe(value);
      expect(fromStoredBarrier(CHANNEL, value)).toBe(value);
    }
  });
});
