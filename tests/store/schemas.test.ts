import { expect, it } from "@jest/globals";
import { z } from "zod";
import { ItemSchemaError } from "../../src/store/index.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useStore } from "./stored.js";

const profile = z.object({ name: z.string(), age: z.number().default(0) });

describeAnyTarget("a schema of a namespace", (target) => {
  const suite = useStore(target);
  const open = () =>
    suite.open({
      namespaces: [
        { prefix: ["users"], schema: z.object({ kind: z.string() }) },
        { prefix: ["users", "*", "profile"], schema: profile },
      ],
    });

  it("refuses a value that does not fit, and with it the whole batch", async () => {
    const store = open();
    const refused = store.batch([
      { namespace: ["free"], key: "k", value: { any: 1 } },
      { namespace: ["users", "7", "profile"], key: "k", value: { name: 7 } },
    ]);
    await expect(refused).rejects.toMatchObject({
      code: "ITEM_SCHEMA",
      namespace: ["users", "7", "profile"],
      key: "k",
      issues: [{ path: ["name"] }],
    });
    await expect(store.put(["users"], "k", { name: "Ada" })).rejects.toBeInstanceOf(ItemSchemaError);
    expect(await suite.store.count([])).toBe(0);
  });

  it("stores and returns what it makes of a value, by the rule with the longest prefix", async () => {
    const store = open();
    await store.put(["users", "7", "profile"], "k", { name: "Ada", unknown: 1 });
    expect((await suite.store.get(["users", "7", "profile"], "k"))?.value).toEqual({ name: "Ada", age: 0 });
    await store.put(["users", "7", "other"], "k", { kind: "x" });
    await suite.store.put(["users", "7", "profile"], "old", { name: "Eve" });
    const item = await store.get<z.infer<typeof profile>>(["users", "7", "profile"], "old");
    const age: number | undefined = item?.value.age;
    expect(age).toBe(0);
  });

  it("refuses to return a stored value that does not fit, and names its item", async () => {
    await suite.store.put(["users", "7", "profile"], "k", { nickname: "Ada" });
    const store = open();
    for (const read of [() => store.get(["users", "7", "profile"], "k"), () => store.search(["users"])])
      await expect(read()).rejects.toMatchObject({ code: "ITEM_SCHEMA", key: "k" });
  });

  it("refuses a schema that makes of a value something else than an object", async () => {
    for (const made of [z.any().transform(() => "text"), z.any().transform(() => [1])]) {
      const store = suite.open({ namespaces: [{ prefix: [], schema: made }] });
      await expect(store.put(["x"], "k", { n: 1 })).rejects.toBeInstanceOf(ItemSchemaError);
    }
    expect(await suite.store.count([])).toBe(0);
  });
});
