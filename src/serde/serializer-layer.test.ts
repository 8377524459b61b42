import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { CompressedSerializer } from "./compressed/compressed-serializer.js";
import { EncryptedSerializer } from "./encrypted/encrypted-serializer.js";
import { MsgpackSerializer } from "./msgpack/msgpack-serializer.js";
import { innermost, unwrapBytes, wrapBytes } from "./serializer-layer.js";

const bytes = Buffer.from("a text that repeats itself. ".repeat(200));

describe("layers of serializers", () => {
  test("are passed from the innermost to the outermost, and back", async () => {
    const inner = new MsgpackSerializer();
    const serde = EncryptedSerializer.fromAesKey(randomBytes(32), new CompressedSerializer(inner));
    expect(innermost(serde)).toBe(inner);
    const [type, stored] = await wrapBytes(serde, ["msgpack-splice", bytes]);
    expect(type).toMatch(/^msgpack-splice\+\w+\+aes$/);
    expect(stored.length).toBeLessThan(bytes.length);
    expect(await unwrapBytes(serde, [type, stored])).toEqual(["msgpack-splice", bytes]);
  });

  test("read bytes that lack some of the layers", async () => {
    const serde = EncryptedSerializer.fromAesKey(randomBytes(32), new CompressedSerializer());
    const compressed = await wrapBytes(new CompressedSerializer(), ["msgpack", bytes]);
    expect(await unwrapBytes(serde, compressed)).toEqual(["msgpack", bytes]);
  });

  test("end at a class that changes how values are written, but not how bytes are wrapped", () => {
    class Renamed extends CompressedSerializer {
      override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
        const [type, data] = await super.dumpsTyped(value);
        return [`renamed-${type}`, data];
      }
    }
    const renamed = new Renamed();
    expect(innermost(renamed)).toBe(renamed);
    expect(innermost(new CompressedSerializer(renamed))).toBe(renamed);
  });
});
