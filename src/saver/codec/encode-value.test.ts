import { expect, test } from "@jest/globals";
import { MsgpackSerializer } from "../../serde/index.js";
import { decode } from "../../serde/msgpack/msgpack-decoder.js";
import { extension, pack } from "../../serde/msgpack/wire.js";
import { encodeValue } from "./encode-value.js";

test.each([
  ["|u1", [3], "C"],
  ["|b1", [3], "C"],
  [">i2", [1, 3], "F"],
  ["<c8", [], "C"],
])("a numpy array of %s that is a channel of its own is written as it was read", async (...layout) => {
  const written = pack(extension(6, pack([...layout, Uint8Array.of(1, 2, 3, 4, 5, 6)])));
  const place = { threadId: "t", checkpointNs: "", channel: "array", version: "1" };
  const { blob } = await encodeValue(new MsgpackSerializer(), decode(written), place, place);
  expect(Buffer.from(blob).toString("hex")).toBe(Buffer.from(written).toString("hex"));
});
