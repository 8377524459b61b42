import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { sql } from "kysely";
import { approve } from "../../examples/service/load/supervisor.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { expectTestedVersions, InstalledExample } from "../package/installed-example.js";
import { ServiceProcess, TOKEN } from "./service-process.js";

describeServer("the example service, on the published package", (server) => {
  let database: TestDatabase<string>;
  let installed: InstalledExample;
  let service: ServiceProcess;

  beforeAll(async () => {
    database = await server.createDatabase();
    installed = await InstalledExample.create("service", ["src"]);
    service = new ServiceProcess(installed.path("src/main.js"), {
      DATABASE_URL: database.source,
      // Nothing here ends by one of them.
      ...{ STATEMENT_TIMEOUT_MS: "600000", TURN_TIMEOUT_MS: "600000" },
    });
    await service.start();
  });

  afterAll(async () => {
    await service.kill();
    await installed.remove();
  });

  function say(thread: string, message: object, init: RequestInit = {}): Promise<Response> {
    const headers = { "content-type": "application/json", "x-customer": "ada" };
    const body = JSON.stringify(message);
    return fetch(`${service.url}/threads/${thread}/messages`, { method: "POST", headers, body, ...init });
  }

  async function replyTo(thread: string, message: object): Promise<[status: number, body: unknown]> {
    const response = await say(thread, message);
    return [response.status, await response.json()];
  }

  const metrics = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();

  it("answers a message that is sent again as it did before, and remembers its customer in other threads", async () => {
    const hello = { id: "1", text: "my name is Ada" };
    const nice = [200, { status: "answered", text: "Nice to meet you, Ada." }];
    expect(await replyTo("one", hello)).toEqual(nice);
    expect(await replyTo("one", { id: "2", text: "lamps" })).toMatchObject([200, { text: /turn 2: lamps/ }]);
    expect(await replyTo("one", hello)).toEqual(nice);
    const thread = await fetch(`${service.url}/threads/one`, { headers: { "x-customer": "ada" } });
    const messages = ["1", "1:answer", "2", "2:answer"].map((id) => expect.objectContaining({ id }));
    expect(await thread.json()).toEqual({ status: "idle", messages });
    const text = "Ada, this is turn 1: lamps";
    expect(await replyTo("two", { id: "1", text: "lamps" })).toEqual([200, { status: "answered", text }]);
  });

  it("refunds when a person has approved it in the inspector, which tells who it was", async () => {
    const message = { id: "1", text: "please refund order 17" };
    expect(await replyTo("refund", message)).toMatchObject([202, { status: "waiting" }]);
    expect(await replyTo("refund", { id: "2", text: "and?" })).toMatchObject([409, { error: /waits/ }]);
    expect((await fetch(`${service.url}/inspect/`)).status).toBe(401);
    await approve(service.url, TOKEN, "ada/refund", 60_000);
    expect(await replyTo("refund", message)).toMatchObject([200, { text: /Order 17 is refunded: 37 €/ }]);
    expect(service.logged("inspector")).toMatchObject({ user: "supervisor", action: "answer" });
  });

  it("tells metrics of the library and its own", async () => {
    const names = await metrics();
    for (const name of ["db_client_operation_duration", "assistant_turn_duration"])
      expect(names).toContain(`# TYPE ${name} histogram`);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
  });

  it("refuses what is no message, and what is too large", async () => {
    expect(await replyTo("one", { id: "1" })).toMatchObject([400, { error: /text/ }]);
    expect((await say("one", { id: "1", text: "x".repeat(50_000) })).status).toBe(413);
    expect((await say("o/n/e", { id: "1", text: "x" })).status).toBe(404);
  });

  it("ends a turn whose client has left, and takes no second one of a thread until then", async () => {
    const release = await lockCheckpoints(database);
    const client = new AbortController();
    const left = say("slow", { id: "1", text: "hello" }, { signal: client.signal });
    await until(async () => /assistant_turn_running\S* 1\b/.test(await metrics()));
    expect(await replyTo("slow", { id: "1", text: "hello" })).toMatchObject([
      409,
      { error: /being answered/ },
    ]);
    client.abort();
    await expect(left).rejects.toThrow();
    await until(async () => /assistant_turn_running\S* 0\b/.test(await metrics()));
    await release();
  });

  it("lets a turn end before it stops, and takes no other", async () => {
    const release = await lockCheckpoints(database);
    const turn = replyTo("last", { id: "1", text: "bye" });
    await until(async () => /assistant_turn_running\S* 1\b/.test(await metrics()));
    const ended = service.end("SIGTERM");
    await until(() => service.logged("stopping") !== undefined);
    await expect(say("other", { id: "1", text: "hello" })).rejects.toThrow();
    await release();
    expect(await turn).toMatchObject([200, { text: /bye/ }]);
    expect(await ended).toBe(0);
  });

  it("needs what this repository tests with", () => expectTestedVersions("service"));
});

/** Locks the table of checkpoints. The returned function releases the lock. */
async function lockCheckpoints(database: TestDatabase): Promise<() => Promise<void>> {
  const transaction = await database.kysely<{ checkpoints: object }>().startTransaction().execute();
  await sql`lock table checkpoints in access exclusive mode`.execute(transaction);
  return () => transaction.rollback().execute();
}
