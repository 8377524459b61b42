import { expect, it } from "@jest/globals";
import { PostgresStore as OfficialStore } from "@langchain/langgraph-checkpoint-postgres/store";
import { openDatabase } from "../../src/db/index.js";
import { convertStoreTables } from "../../src/migrations/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { describePythonStore } from "./python-graphs.js";

await describePythonStore("the converted tables of the official JavaScript store", (target, start) => {
  it("hold the same items for Python's store, whose setup() changes nothing", async () => {
    const database = await target.createDatabase();
    const official = OfficialStore.fromConnString(database.source);
    await official.setup();
    await official.put(["users", "7"], "profile", { name: "Ada", score: 3.5 });
    await official.put(["users", "7", "facts"], "1", { text: "tea" }, undefined, { ttl: 60 });
    const stored = await official.get(["users", "7"], "profile");
    await official.stop();

    const { kysely, close } = openDatabase(database.source);
    expect(await convertStoreTables(kysely)).toMatchObject({ items: 2, embeddings: 0 });
    await close();
    const before = await dumpSchema(database);
    const python = await start(database);
    await python.do("setup");
    expect(await dumpSchema(database)).toEqual(before);
    const { item } = await python.do("get", { namespace: ["users", "7"], key: "profile" });
    expect(item).toMatchObject({ value: { name: "Ada", score: 3.5 } });
    const { created } = item as { created: number };
    expect(Math.floor(created * 1000)).toBe(stored?.createdAt.getTime());
    const { items } = await python.do("search", { prefix: ["users", "7", "facts"], refresh_ttl: false });
    expect(items).toMatchObject([{ namespace: ["users", "7", "facts"], key: "1", value: { text: "tea" } }]);

    await python.do("put", { places: [[["users", "7"], "profile"]], value: { name: "Eve" } });
    await using store = new PostgresStore(database.source, { ensureTables: false });
    expect(await store.get(["users", "7"], "profile")).toMatchObject({ value: { name: "Eve" }, version: 2 });
    await python.end();
  });
});
