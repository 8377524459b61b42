import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { AesGcmSerializer, CompressedSerializer, EncryptedSerializer } from "./index.js";

const keys = [{ id: "1", key: randomBytes(32) }];

describe("a wrapping serializer", () => {
  test.each<[string, (serde: never) => unknown]>([
    ["AesGcmSerializer", (serde) => new AesGcmSerializer(serde, { keys })],
    ["CompressedSerializer", (serde) => new CompressedSerializer(serde)],
    ["EncryptedSerializer", (serde) => EncryptedSerializer.fromAesKey(randomBytes(32), serde)],
  ])("refuses to wrap a value that is not a serializer: %s", (_name, wrap) => {
    for (const serde of [null, 5, {}, { dumpsTyped: () => undefined }, CompressedSerializer]) {
      const make = (): unknown => wrap(serde as never);
      expect(make).toThrow(expect.objectContaining({ code: "INVALID_CONFIG", field: "serde" }));
    }
  });
});
