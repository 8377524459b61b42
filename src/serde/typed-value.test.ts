import { describe, expect, test } from "@jest/globals";
import { DeserializationError } from "../errors/index.js";
import { readTypedValue } from "./typed-value.js";

const readers = {
  msgpack: (bytes: Uint8Array): unknown => ({ msgpack: [...bytes] }),
  json: (text: string): unknown => ({ json: text }),
};

function read(type: string, data: Uint8Array | string): unknown {
  return readTypedValue(type, data, readers);
}

describe("a stored value is read by its type tag", () => {
  test("msgpack and json by the reader of the layout, from bytes or text", () => {
    expect(read("msgpack", Uint8Array.of(1))).toEqual({ msgpack: [1] });
    expect(read("json", Buffer.from('"é"'))).toEqual({ json: '"é"' });
    expect(read("json", "1")).toEqual({ json: "1" });
  });

  test.each(["bytes", "bytearray"])("%s as a copy of the bytes, never as a Buffer", (type) => {
    const row = Buffer.from("ab");
    const value = read(type, row);
    row.fill(0);
    expect(value).toEqual(Uint8Array.from([97, 98]));
    expect(Buffer.isBuffer(value)).toBe(false);
    expect(read(type, "ab")).toEqual(Uint8Array.from([97, 98]));
  });

  test("null as null, empty as undefined", () => {
    expect(read("null", "")).toBeNull();
    expect(read("empty", "")).toBeUndefined();
  });

  test.each([
    ["pickle", /a Python pickle, which is never read/],
    ["msgpack+aes", /encrypted by "aes" and this serializer has no key/],
    ["json+gzip+kms", /encrypted by "kms"/],
    ["json+gzip", /compressed by "gzip"; give the saver a CompressedSerializer/],
    ["yaml", /unknown type "yaml"/],
    ["", /unknown type ""/],
    ["constructor", /unknown type "constructor"/],
  ])("%j is refused with the reason", (type, reason) => {
    expect(() => read(type, "")).toThrow(DeserializationError);
    expect(() => read(type, "")).toThrow(reason);
    expect(() => read(type, "")).toThrow(expect.objectContaining({ typeTag: type }));
  });
});
