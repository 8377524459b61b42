import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PermissionError, RowSecurityError } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

const PASSWORD = "secret";
const SQL = /^```sql\n([^]*?)^```/m;

describeServer("a store with a tenant", (target) => {
  const role = `service_${randomBytes(8).toString("hex")}`;
  let database: TestDatabase<string>;
  const opened: PostgresStore[] = [];
  const open = (user: string, tenantId: string) => {
    const url = new URL(database.source);
    if (user !== "") [url.username, url.password] = [user, PASSWORD];
    const store = new PostgresStore(url.href, { tenantId, ensureTables: false });
    opened.push(store);
    return store;
  };

  beforeAll(async () => {
    database = await target.createDatabase();
    await using owner = new PostgresStore(database.source);
    await owner.setup();
    const page = await readFile(new URL("../../docs/store.md", import.meta.url), "utf8");
    await database.exec(`
      create role ${role} login password '${PASSWORD}';
      grant select, insert, update, delete on store to ${role};
      ${SQL.exec(page)?.[1] ?? "the page has no SQL"}`);
  });

  afterAll(async () => {
    for (const store of opened) await store.end();
    await database.exec(`drop owned by ${role}; drop role ${role}`);
  });

  it("sees the items whose first label is the tenant, whatever it asks for", async () => {
    const [acme, globex] = [open(role, "acme"), open(role, "globex")];
    await acme.put(["acme", "notes"], "1", { text: "plan" });
    await globex.put(["globex", "notes"], "1", { text: "plan" });
    expect((await acme.search([], { query: "plan" })).map(({ namespace }) => namespace)).toEqual([
      ["acme", "notes"],
    ]);
    expect(await acme.get(["globex", "notes"], "1")).toBeNull();
    expect(await acme.listNamespaces()).toEqual([["acme", "notes"]]);
    expect(await acme.count([])).toBe(1);
    expect(await acme.deleteNamespace(["globex"])).toBe(0);
    expect(await globex.count([])).toBe(1);
  });

  it("can't store an item of another tenant", async () => {
    await expect(open(role, "acme").put(["globex"], "1", { text: "mine" })).rejects.toThrow(PermissionError);
  });

  it("refuses to work as the owner, who sees all rows", async () => {
    await expect(open("", "acme").count([])).rejects.toThrow(RowSecurityError);
  });
});
