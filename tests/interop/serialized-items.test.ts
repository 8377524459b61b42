import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { HumanMessage } from "@langchain/core/messages";
import { z } from "zod";
import { PostgresStore } from "../../src/store/index.js";
import { describePythonStore } from "./python-graphs.js";
import type { PythonProcess } from "./python-process.js";

const SECRET = { lc: 1, type: "secret", id: ["OPENAI_API_KEY"] };

await describePythonStore("an item in Python", (target, start) => {
  let shared: { python: PythonProcess; store: PostgresStore };

  beforeAll(async () => {
    const database = await target.createDatabase();
    shared = { python: await start(database), store: new PostgresStore(database.source) };
    await shared.store.setup();
  });
  afterAll(async () => {
    await shared.python.end();
    await shared.store.end();
  });

  it("gets back what LangChain for Python has serialized, wherever it is in an item", async () => {
    const { python, store } = shared;
    const { names } = z.object({ names: z.array(z.string()) }).parse(await python.do("put_dumps"));
    for (const name of names) {
      const item = await store.get(["dumps"], name);
      await store.put(["dumps"], name, item?.value ?? {});
    }
    expect(await python.do("check_dumps")).toEqual({ changed: [] });
    const all = await store.get(["dumps"], "all");
    expect(all?.value).toMatchObject({ human: new HumanMessage({ id: "h", content: "hi" }), secret: SECRET });
    expect((await store.get(["dumps"], "secret"))?.value).toEqual(SECRET);
    expect((await store.get(["dumps"], "system"))?.value).toMatchObject({
      lc: 1,
      kwargs: { content: "be kind" },
    });
    // A part is found as what it is here.
    expect(await store.search(["dumps"], { filter: { human: all?.value.human } })).toHaveLength(1);
  });

  it("loads what TypeScript has changed of it, and documents of TypeScript", async () => {
    const { python, store } = shared;
    await python.do("put_dumps");
    const { value = {} } = (await store.get(["dumps"], "all")) ?? {};
    for (const name of ["ai", "remove"]) Object.assign(value[name] ?? {}, { id: "new" });
    Object.assign(value.document ?? {}, { pageContent: "new" });
    const own = new Document({ pageContent: "own", metadata: { page: 2 } });
    await store.put(["changed"], "k", { ...value, own });
    const loads = async (part: string) =>
      (await python.do("loaded", { namespace: ["changed"], key: "k", part })).loaded;
    expect(await loads("ai")).toMatch(
      /^AIMessage\(content='', .*id='new', tool_calls=\[{'name': 'f', 'args': {'x': 1, 'lc': 1}/,
    );
    expect(await loads("remove")).toMatch(/^RemoveMessage\(.*id='new'/);
    expect(await loads("document")).toBe(
      "Document(id='d', metadata={'page': 1, '__proto__': {'a': 1}}, page_content='new')",
    );
    expect(await loads("own")).toBe("Document(metadata={'page': 2}, page_content='own')");
    expect(await loads("system")).toMatch(/^SystemMessage\(content='be kind'/);
  });
});
