import { describe, expect, test } from "@jest/globals";
import { Packr, Unpackr } from "msgpackr";
import { extension, float64, pack } from "./wire.js";

describe("an extension has the header that MessagePack specifies", () => {
  test.each<[number, string]>([
    [0, "c700"],
    [1, "d4"],
    [2, "d5"],
    [3, "c703"],
    [4, "d6"],
    [8, "d7"],
    [16, "d8"],
    [17, "c711"],
    [255, "c7ff"],
    [256, "c80100"],
    [65536, "c900010000"],
  ])("for a payload of %i bytes", (length, head) => {
    for (const code of [0, 7, 0x1b]) {
      const payload = new Uint8Array(length).fill(0xaa);
      const hex = `${head}${Buffer.from([code]).toString("hex")}${Buffer.from(payload).toString("hex")}`;
      expect(Buffer.from(pack(extension(code, payload))).toString("hex")).toBe(hex);
    }
  });

  test("among other values, also where it exceeds msgpackr's buffer", () => {
    const payload = new Uint8Array(100_000).fill(1);
    const bytes = pack([1, extension(5, payload), new Map([["k", float64(1)]]), "end"]);
    expect(bytes.length).toBe(1 + 1 + 6 + payload.length + 1 + 2 + 9 + 4);
    expect(Buffer.from(bytes.subarray(-16)).toString("hex")).toBe("81a16bcb3ff0000000000000a3656e64");
  });
});

test("other users of msgpackr in the process are not affected", () => {
  const packr = new Packr({ moreTypes: true });
  const unpackr = new Unpackr();
  const value = { at: new Date(0), set: new Set([1]), error: new TypeError("x"), list: [undefined, 1n] };
  expect(packr.unpack(packr.pack(value))).toEqual(value);
  expect(unpackr.unpack(Uint8Array.of(0xd4, 0, 0))).toBeUndefined();
  for (const code of [1, 5, 7, 0x10, 0x1b])
    expect(() => unpackr.unpack(Uint8Array.of(0xc7, 1, code, 1)) as unknown).toThrow(/Unknown extension/);
});
