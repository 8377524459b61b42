import { expect, it } from "@jest/globals";
import type { Operation } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import { PostgresStore } from "../../src/store/index.js";
import { CompiledProgram } from "../../test-support/compiled-program.js";
import { describeServer } from "../../test-support/targets.js";

const SWEEPING = new URL("sweeping-process.ts", import.meta.url);

// Each is what the official PostgresStore 1.0.5 does wrong. The suites of tests/conformance have the rest.
describeServer("where the official store fails, this one", (target) => {
  it("searches by text in batches through a pool of one connection, where the official one waits for ever", async () => {
    const { source } = await target.createDatabase();
    await using store = new PostgresStore({ connectionString: source, max: 1 });
    await store.put(["a"], "k", { text: "green tea" });
    const search: Operation = { namespacePrefix: ["a"], query: "tea" };
    const batches = Array.from({ length: 5 }, () => store.batch([search, { namespace: ["a"], key: "k" }]));
    for (const results of await Promise.all(batches))
      expect(results).toMatchObject([[{ key: "k" }], { key: "k" }]);
  });

  it("sets up its tables from many stores at once, where all but one fail", async () => {
    const { source } = await target.createDatabase();
    const stores = Array.from({ length: 5 }, () => new PostgresStore(source));
    await Promise.all(stores.map((store, nth) => store.put(["a"], `k${nth}`, {})));
    expect(await stores[0]?.count(["a"])).toBe(5);
    for (const store of stores) await store.end();
  });

  it("goes on when the server ends its idle connections, where the process dies", async () => {
    const database = await target.createDatabase();
    await using store = new PostgresStore(database.source);
    await store.put(["a"], "k", { n: 1 });
    const ended = await database.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    expect(ended.length).toBeGreaterThan(0);
    expect(await store.get(["a"], "k")).toMatchObject({ value: { n: 1 } });
  });

  it("lets a process end that has nothing else to do, where the timer of the sweep keeps it alive", async () => {
    const { source } = await target.createDatabase();
    await using program = await CompiledProgram.compile(SWEEPING);
    expect(await program.run(source)).toEqual({ code: 0, output: "stored", errors: expect.any(String) });
  });

  it("leaves a pool that it was lent open when it stops, where no pool can be lent", async () => {
    const { source } = await target.createDatabase();
    const pool = new pg.Pool({ connectionString: source });
    const store = new PostgresStore({ connectionOptions: pool });
    await store.put(["a"], "k", {});
    await store.stop();
    await store.stop();
    expect((await pool.query("select key from store")).rows).toEqual([{ key: "k" }]);
    await pool.end();
  });

  it("takes a schema of any name, where a quote in it is an error of syntax", async () => {
    const database = await target.createDatabase();
    await using store = new PostgresStore(database.source, { schema: 'we"ird.Schema' });
    await store.put(["a"], "k", { n: 1 });
    expect(await store.search([])).toMatchObject([{ value: { n: 1 } }]);
    expect(await database.query(`select key from "we""ird.Schema".store`)).toEqual([{ key: "k" }]);
  });

  it("leaves the functions of an application alone, where it replaces update_updated_at_column()", async () => {
    const database = await target.createDatabase();
    await database.exec(`
      create table notes (id int primary key, changes int not null default 0);
      create function update_updated_at_column() returns trigger language plpgsql as
        'begin new.changes := old.changes + 1; return new; end';
      create trigger count_changes before update on notes for each row execute function update_updated_at_column();
      insert into notes values (1)`);
    await using store = new PostgresStore(database.source);
    await store.put(["a"], "k", { n: 1 });
    await store.put(["a"], "k", { n: 2 });
    await database.exec("update notes set id = 2");
    expect(await database.query("select id, changes from notes")).toEqual([{ id: 2, changes: 1 }]);
  });

  it("keeps all items of a batch or none, where those before a failure stay", async () => {
    const database = await target.createDatabase();
    await using store = new PostgresStore(database.source);
    await store.setup();
    await database.exec(`alter table store add constraint no_secrets check (key <> 'secret')`);
    const batch = ["one", "secret", "two"].map((key): Operation => ({ namespace: ["a"], key, value: {} }));
    await expect(store.batch(batch)).rejects.toMatchObject({ sqlState: "23514" });
    expect(await store.search([])).toEqual([]);
  });
});
