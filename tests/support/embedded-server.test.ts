import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { startEmbeddedServer, type EmbeddedServer } from "./embedded-server.js";

async function query<Row extends Record<string, unknown>>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const DATA_DIRECTORY = "select current_setting('data_directory') as folder";

describe("an embedded server", () => {
  let server: EmbeddedServer;
  beforeAll(async () => {
    server = await startEmbeddedServer();
  });
  afterAll(() => server.remove());

  it("sorts text as people do, not by bytes", async () => {
    expect(await query(server.url, "select 'a' < 'B' as sorted")).toEqual([{ sorted: true }]);
  });

  it("keeps what was committed over a crash, at the same address", async () => {
    const { url } = server;
    await query(url, "create table kept as select 1 as one");
    await server.crash();
    await expect(query(url, "select 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await server.start();
    expect(server.url).toBe(url);
    expect(await query(url, "select one from kept")).toEqual([{ one: 1 }]);
  });

  it("leaves no folder behind", async () => {
    const other = await startEmbeddedServer();
    const [setting] = await query<{ folder: string }>(other.url, DATA_DIRECTORY);
    const folder = dirname(setting?.folder ?? "");
    await access(folder);
    await other.remove();
    await expect(access(folder)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
