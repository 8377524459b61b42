import { randomBytes } from "node:crypto";
import { afterAll, expect, it } from "@jest/globals";
import pg from "pg";
import { PostgresConversations } from "../../src/conversations/index.js";
import { type ConversationDatabase, openDatabase } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import { migrateToLatest, partitionTables } from "../../src/migrations/index.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeServer, onOneServer } from "../../test-support/targets.js";
import { documentedSql } from "../tenants/documented-sql.js";
import { putCheckpoint, useConversations } from "./opened.js";

onOneServer("Citus has no triggers", describeServer)("the time of a conversation", (target) => {
  const suite = useConversations(target);
  const role = `service_${randomBytes(8).toString("hex")}`;

  // Roles belong to the whole server, and outlive the database.
  afterAll(() => suite.database.exec(`drop owned by ${role}; drop role ${role}`));

  /** Makes a conversation of long ago, and returns its time. */
  const make = async (threadId: string) => {
    await suite.threads.set(threadId, { kind: "put" });
    await suite.database.exec(`update checkpoint_conversations set updated_at = '2026-01-01'`);
    return (await suite.threads.get(threadId)).updated_at;
  };
  const timeOf = async (threadId: string) => (await suite.threads.get(threadId)).updated_at;

  it("follows the checkpoints of a role that was granted its privileges before, and of a tenant", async () => {
    const { database, threads } = suite;
    await database.exec(`create role ${role} login password 'secret';
      grant select, insert, update, delete on checkpoints, checkpoint_blobs, checkpoint_writes, checkpoint_tombstones to ${role}`);
    const source = new URL(database.source);
    source.username = role;
    source.password = "secret";
    await using saver = new PostgresSaver(source.href);
    const before = await make("acme:1");
    await putCheckpoint(saver, "acme:1");
    expect((await timeOf("acme:1")).getTime()).toBeGreaterThan(before.getTime());
    // What needs the table says so, and changes nothing. The inspector does without titles.
    const { threads: listed } = await new InspectorCalls(saver).read("threads", { search: "acme:1" });
    expect(listed).toMatchObject([{ threadId: "acme:1" }]);
    await expect(saver.deleteThread("acme:1")).rejects.toThrow("table checkpoint_conversations");
    expect((await saver.listThreads()).map(({ threadId }) => threadId)).toEqual(["acme:1"]);

    await database.exec((await documentedSql()).setUp);
    await database.exec(`grant select, insert, update, delete on checkpoint_conversations to ${role}`);
    await using ofAcme = new PostgresSaver(source.href, undefined, { tenantId: "acme" });
    await using conversations = new PostgresConversations(source.href, { tenantId: "acme" });
    await make("acme:1");
    await make("bolt:1");
    await putCheckpoint(ofAcme, "acme:1");
    expect((await timeOf("acme:1")).getTime()).toBeGreaterThan(before.getTime());
    const seen: string[] = [];
    for await (const { thread } of conversations.search()) seen.push(thread.thread_id);
    expect(seen).toEqual(["acme:1"]);
    await expect(conversations.get("bolt:1")).rejects.toThrow("no record");
    await expect(conversations.set("bolt:2", { kind: "put" })).rejects.toThrow("may only write threads");
    await ofAcme.deleteThread("bolt:1");
    expect(await threads.get("bolt:1")).toMatchObject({ thread_id: "bolt:1" });
  });

  it("does not make a put wait for whoever has locked the record, nor fail one in a snapshot", async () => {
    const { database, saver } = suite;
    const before = await make("t");
    const client = new pg.Client(database.source);
    await client.connect();
    await client.query("begin; select from checkpoint_conversations for update");
    await putCheckpoint(saver, "t");
    await client.query(
      "rollback; begin isolation level repeatable read; select from checkpoint_conversations",
    );
    expect(await timeOf("t")).toEqual(before);
    await putCheckpoint(saver, "t");
    const after = await timeOf("t");
    expect(after.getTime()).toBeGreaterThan(before.getTime());
    await client.query(`insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, checkpoint)
      values ('t', '', 'by hand', '{}'); commit`);
    expect(await timeOf("t")).toEqual(after);
    await client.end();
  });

  it("is not the same for a transaction that is rolled back", async () => {
    const { database, threads } = suite;
    const { kysely, close } = openDatabase(database.source);
    await make("t");
    const rolledBack = kysely.transaction().execute(async (transaction) => {
      const within = new PostgresConversations(transaction.$extendTables<ConversationDatabase>());
      await within.set("t", { kind: "patch", metadata: { title: "Rome" } });
      await within.delete("t");
      throw new Error("undone");
    });
    await expect(rolledBack).rejects.toThrow("undone");
    expect((await threads.get("t")).metadata).toEqual({});
    await close();
  });

  it("stays where a deletion fails, also the first one of a process, and so does the thread", async () => {
    const { database, saver } = suite;
    await make("t");
    await putCheckpoint(saver, "t");
    await database.exec(`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse before delete on checkpoint_conversations for each row execute function refuse()`);
    await using first = new PostgresConversations(database.source);
    await expect(first.delete("t")).rejects.toThrow("refused");
    await database.exec("drop function refuse() cascade");
    expect((await saver.listThreads()).map(({ threadId }) => threadId)).toEqual(["t"]);
  });

  it("follows in tables that are partitioned later", async () => {
    const database = await target.createDatabase();
    const { kysely, close } = openDatabase(database.source);
    await migrateToLatest(kysely, { with: ["conversations"] });
    await partitionTables(kysely, { layout: "hash:2" });
    await close();
    await using threads = new PostgresConversations(database.source);
    await using saver = new PostgresSaver(database.source);
    await threads.set("t", { kind: "put" });
    await database.exec(`update checkpoint_conversations set updated_at = '2026-01-01'`);
    await putCheckpoint(saver, "t");
    expect((await threads.get("t")).updated_at.getTime()).toBeGreaterThan(
      Date.parse("2026-01-01") + 86_400_000,
    );
  });
});
