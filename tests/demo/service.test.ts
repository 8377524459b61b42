import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { sql } from "kysely";
import { type Service, startService } from "../../examples/service/start-service.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

describeServer("the service", (server) => {
  let database: TestDatabase<string>;
  let service: Service;

  beforeEach(async () => {
    database = await server.createDatabase();
    service = await startService(database.source, 0);
  });

  afterEach(() => service.stop());

  it("remembers each thread, even if another instance continues it", async () => {
    expect(await say(service, "one", "Hello")).toEqual([200, { text: "Turn 1: you said “Hello”" }]);
    expect(await say(service, "two", "Hi")).toEqual([200, { text: "Turn 1: you said “Hi”" }]);
    await service.stop();
    service = await startService(database.source, 0);
    expect(await say(service, "one", "Again")).toEqual([200, { text: "Turn 2: you said “Again”" }]);
  });

  it("rejects requests that are not messages", async () => {
    expect(await say(service, "one", "")).toEqual([400, 'Expected {"text":"…"}']);
    expect(await say(service, "one/more", "Hello")).toEqual([404, "Not found"]);
  });

  it("answers one message of a thread at a time, and finishes open answers before it stops", async () => {
    const release = await lockCheckpoints(database);
    const answers = [say(service, "one", "Hello"), say(service, "one", "Hello")];
    expect(await Promise.race(answers)).toEqual([409, "The thread is being answered"]);
    const stopped = service.stop();
    await expect(say(service, "two", "Hi")).rejects.toThrow();
    await release();
    await stopped;
    expect((await Promise.all(answers)).map(([status]) => status).sort()).toEqual([200, 409]);
  });
});

async function say({ port }: Service, thread: string, text: string): Promise<[number, unknown]> {
  const url = `http://127.0.0.1:${port}/threads/${thread}/messages`;
  const response = await fetch(url, { method: "POST", body: JSON.stringify({ text }) });
  return [response.status, await response.json()];
}

/** Locks the table of checkpoints. The returned function releases the lock. */
async function lockCheckpoints(database: TestDatabase): Promise<() => Promise<void>> {
  const transaction = await database.kysely<{ checkpoints: object }>().startTransaction().execute();
  await sql`lock table checkpoints in access exclusive mode`.execute(transaction);
  return () => transaction.rollback().execute();
}
