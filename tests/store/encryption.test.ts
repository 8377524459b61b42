import { randomBytes } from "node:crypto";
import { expect, it } from "@jest/globals";
import { AesGcmSerializer, CompressedSerializer, EncryptedSerializer } from "../../src/serde/index.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { useStore } from "./stored.js";

const keys = [{ id: "1", key: randomBytes(32) }];
const PROFILE = { kind: "profile", name: "Ada Lovelace", at: new Date(0), bytes: new Uint8Array([1, 2]) };

describeEachTarget("a store with a serializer", (target) => {
  const suite = useStore(target);

  it.each([
    ["AesGcmSerializer", new AesGcmSerializer(new CompressedSerializer(), { keys })],
    ["EncryptedSerializer", EncryptedSerializer.fromAesKey(randomBytes(16))],
  ])(
    "stores nothing of a value in clear text, and reads it back as a plain store does: %s",
    async (_, serde) => {
      const store = suite.open({ serde });
      await store.put(["users"], "ada", PROFILE);
      await suite.store.put(["plain"], "ada", PROFILE);
      const [row] = await suite.database.query<{ text: string }>(
        "select value::text as text from store where prefix = 'users'",
      );
      expect(row?.text).not.toMatch(/"Ada"|profile|kind/);
      const [stored, plain] = await Promise.all([
        store.get(["users"], "ada"),
        suite.store.get(["plain"], "ada"),
      ]);
      expect(stored?.value).toEqual(plain?.value);
      await store.update<{ n?: number }>(["users"], "ada", (value) => ({ ...value, n: 1 }));
      expect(await store.search(["users"])).toMatchObject([
        { value: { name: "Ada Lovelace", n: 1 }, version: 2 },
      ]);
    },
  );

  it("lets filters and searches by text find the visible keys, and refuses filters by others", async () => {
    const store = suite.open({
      serde: new AesGcmSerializer(new CompressedSerializer(), { keys }),
      visibleKeys: ["kind"],
    });
    await store.put(["users"], "ada", PROFILE);
    await store.put(["users"], "note", { kind: "note", name: "Ada" });
    const keysOf = (found: readonly { key: string }[]) => found.map(({ key }) => key);
    expect(keysOf(await store.search(["users"], { filter: { kind: "note" } }))).toEqual(["note"]);
    expect(await store.count([], { filter: { $or: [{ kind: { $ne: "note" } }] } })).toBe(1);
    expect(keysOf(await store.search([], { query: "profile", mode: "text" }))).toEqual(["ada"]);
    expect(keysOf(await store.search([], { query: "Lovelace", mode: "text" }))).toEqual([]);
    for (const filter of [
      { name: "Ada" },
      { $not: { name: "Ada" } },
      { $and: [{ kind: "x" }, { name: { $exists: true } }] },
    ])
      await expect(store.search([], { filter })).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  });

  it("binds a value to its item, and refuses changed visible keys, plain values in strict mode and stores without the key", async () => {
    const strict = suite.open({
      serde: new AesGcmSerializer(new CompressedSerializer(), { keys, strict: true }),
      visibleKeys: ["kind"],
    });
    await strict.put(["a"], "1", { kind: "x" });
    await strict.put(["a"], "2", { kind: "y" });
    await suite.database.exec("update store set value = jsonb_set(value, '{kind}', '\"z\"') where key = '1'");
    expect((await strict.get(["a"], "1"))?.value).toEqual({ kind: "x" });
    await expect(suite.store.get(["a"], "1")).rejects.toMatchObject({ code: "DESERIALIZATION_FAILED" });
    await suite.database.exec(
      "update store set value = (select value from store where key = '2') where key = '1'",
    );
    await expect(strict.get(["a"], "1")).rejects.toMatchObject({ code: "DESERIALIZATION_FAILED" });
    await suite.store.put(["a"], "1", { kind: "forged" });
    await expect(strict.get(["a"], "1")).rejects.toThrow("not encrypted");
    await expect(suite.store.put(["a"], "1", { __sealed__: 1 })).rejects.toMatchObject({
      code: "SERIALIZATION_FAILED",
    });
  });

  it("refuses a serializer that is none, instead of storing values as plain text", () => {
    for (const none of [{}, null, ""]) expect(() => suite.open({ serde: none as never })).toThrow("serde");
  });
});
