import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { createCheckpoint, type PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { loadBuilds } from "../../test-support/builds.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../test-support/embedded-server.js";
import { until } from "../../test-support/until.js";

interface State {
  readonly n: number;
  readonly text: string;
}

/** A checkpoint that says twice which one it is. */
function checkpoint(n: number, executionId = "e") {
  const state: State = { n, text: String(n).repeat(2_000) };
  return createCheckpoint({ executionId, nodeName: "n", state, version: n, id: `${executionId}${n}` });
}

describe("a PostgresCheckpointStore whose server fails while it saves", () => {
  let server: EmbeddedServer;
  /** One of each build. */
  let stores: [PostgresCheckpointStore<State>, PostgresCheckpointStore<State>];
  beforeAll(async () => {
    server = await startEmbeddedServer();
    const [[, imported], [, required]] = await loadBuilds("checkpoint-store");
    const options = { retry: { maxElapsedMs: 120_000 } };
    stores = [
      new imported.PostgresCheckpointStore(server.url, options),
      new required.PostgresCheckpointStore(server.url, options),
    ];
    await stores[0].setup();
  });
  afterAll(async () => {
    for (const store of stores) await store.end();
    await server.remove();
  });

  /** Saves checkpoints one after another until it is told to stop. Returns how many were acknowledged. */
  function saveUntilStopped(store: PostgresCheckpointStore<State>, executionId: string, keepLast?: number) {
    const progress = { acknowledged: 0, isStopped: false };
    const run = async (): Promise<number> => {
      while (!progress.isStopped) {
        await store.save(checkpoint(progress.acknowledged + 1, executionId), { keepLast });
        progress.acknowledged++;
      }
      return progress.acknowledged;
    };
    return { progress, done: run() };
  }

  async function expectWhole(
    store: PostgresCheckpointStore<State>,
    executionId: string,
    count: number,
  ): Promise<void> {
    const stored = await store.list(executionId);
    expect(stored).toHaveLength(count);
    for (const { state, version } of stored) {
      expect(state).toEqual({ n: version, text: String(version).repeat(2_000) });
    }
  }

  it.each([
    ["the server is killed", () => server.crash().then(() => server.start())],
    [
      "the backends are terminated",
      async () => {
        const client = new pg.Client({ connectionString: server.url });
        await client.connect();
        await client.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        );
        await client.end();
      },
    ],
  ])("loses nothing that was acknowledged where %s, and stores nothing by half", async (name, fail) => {
    const [keepsAll, keepsNewest] = stores;
    const all = saveUntilStopped(keepsAll, `all ${name}`);
    const newest = saveUntilStopped(keepsNewest, `newest ${name}`, 3);
    await until(() => Math.min(all.progress.acknowledged, newest.progress.acknowledged) > 5);
    await fail();
    const before = all.progress.acknowledged;
    await until(() => all.progress.acknowledged > before + 2);
    all.progress.isStopped = true;
    newest.progress.isStopped = true;
    await expectWhole(keepsAll, `all ${name}`, await all.done);
    const acknowledged = await newest.done;
    await expectWhole(keepsNewest, `newest ${name}`, 3);
    expect((await keepsNewest.latest(`newest ${name}`))?.version).toBe(acknowledged);
  });
});
