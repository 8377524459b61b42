import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { MsgpackSerializer } from "./msgpack-serializer.js";
import { describeAsJson, pythonRows } from "../test-support/describe.js";

const file = new URL("../../../tests/fixtures/python/msgpack-rows.json", import.meta.url);
const rows = pythonRows(JSON.parse(readFileSync(file, "utf8")));
const serializer = new MsgpackSerializer();

describe("a row of Python's checkpointer", () => {
  test.each(rows)("is read: $name", async ({ type, data, sees }) => {
    expect(describeAsJson(await serializer.loadsTyped(type, Buffer.from(data, "base64")))).toEqual(sees);
  });

  test.each(rows.filter(({ keeps }) => keeps))(
    "is written again in the same bytes: $name",
    async ({ type, data }) => {
      const read = await serializer.loadsTyped(type, Buffer.from(data, "base64"));
      const [, bytes] = await serializer.dumpsTyped(read);
      expect(Buffer.from(bytes).toString("hex")).toBe(
        type === "bytes"
          ? `c402${Buffer.from(data, "base64").toString("hex")}`
          : Buffer.from(data, "base64").toString("hex"),
      );
    },
  );

  test.each(rows)(
    "is read as the same value after it was written again: $name",
    async ({ type, data, sees }) => {
      const read = await serializer.loadsTyped(type, Buffer.from(data, "base64"));
      const again = await serializer.loadsTyped(...(await serializer.dumpsTyped(read)));
      expect(describeAsJson(again)).toEqual(sees);
    },
  );
});
