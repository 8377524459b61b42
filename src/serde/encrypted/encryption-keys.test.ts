import { inspect } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { InvalidConfigError } from "../../errors/index.js";
import { type EncryptionKey, keyRing } from "./encryption-keys.js";

const key = Buffer.alloc(32, 7);

/** Calls keyRing with values that the types don't allow, as a caller in JavaScript may. */
function refusalOf(keys: unknown): unknown {
  try {
    Reflect.apply(keyRing, undefined, [keys]);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("the keys", () => {
  test.each<[string, unknown, string, RegExp]>([
    ["none", [], "keys", /at least one key/],
    ["an object", { id: "1", key }, "keys", /an array of keys/],
    ["an empty id", [{ id: "", key }], "keys.0.id", /must be a non-empty string/],
    ["no id", [{ key }], "keys.0.id", /must be a non-empty string/],
    ["an id that is too long", [{ id: "é".repeat(128), key }], "keys.0.id", /longer than 255 bytes/],
    ["half a character", [{ id: "a\ud800", key }], "keys.0.id", /a lone surrogate/],
    ["a short key", [{ id: "1", key: key.subarray(1) }], "keys.0.key", /must be 32 bytes long, and is 31/],
    [
      "a string",
      [{ id: "1", key: "k".repeat(32) }],
      "keys.0.key",
      /a Uint8Array of 32 bytes; decode a string/,
    ],
    ["two of one id", [{ id: "1", key }, { id: "1", key }], "keys", /two keys of one id/], // oxfmt-ignore
    ["a second that is wrong", [{ id: "2", key }, { id: "1", key: Buffer.alloc(16) }], "keys.1.key", /is 16/], // oxfmt-ignore
  ])("are refused: %s", (_what, keys, field, message) => {
    const error = refusalOf(keys);
    expect(error).toBeInstanceOf(InvalidConfigError);
    expect(error).toMatchObject({ field, message: expect.stringMatching(message) });
  });

  test("don't appear in the error", () => {
    const secret = "MARKER-OF-A-SECRET-KEY-32-BYTES!";
    const given = [secret, Buffer.from(secret).subarray(1), [secret]];
    for (const wrong of given) {
      const error = refusalOf([{ id: "1", key: wrong }]);
      const shown = inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error);
      expect(shown).not.toContain("MARKER");
      expect(shown).not.toContain(Buffer.from("MARKER").toString("hex").replace(/../g, "$& ").trim());
    }
  });

  test("are found by their ids, and the first is the newest", () => {
    const keys: EncryptionKey[] = ["é".repeat(127), "old"].map((id) => ({ id, key }));
    const ring = keyRing(keys);
    expect(ring.newest.id).toBe(keys[0]?.id);
    expect(ring.find("old")).toBeDefined();
    expect(ring.find("__proto__")).toBeUndefined();
  });
});
