import { execFile } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
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

  it("keeps it when every process of it is killed, too", async () => {
    const { url } = server;
    await query(url, "create table kept_too as select 1 as one");
    const processes = await query<{ pid: number }>(url, "select pid from pg_stat_activity");
    await server.kill(processes.map(({ pid }) => pid));
    await expect(query(url, "select 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await server.start();
    expect(server.url).toBe(url);
    expect(await query(url, "select one from kept_too")).toEqual([{ one: 1 }]);
  });

  it("leaves no folder behind", async () => {
    const other = await startEmbeddedServer();
    const folders = [other.folder, other.data];
    expect(folders.map(existsSync)).toEqual([true, true]);
    await other.remove();
    expect(folders.map(existsSync)).toEqual([false, false]);
  });

  it("stops and clears up when the process that started it is killed", async () => {
    const abandon = fileURLToPath(new URL("abandon-server.js", import.meta.url));
    const printed = await new Promise<string>((resolve) => {
      execFile(process.execPath, [abandon], (_killed, stdout) => {
        resolve(stdout);
      });
    });
    const folders = printed.split("\n");
    expect(folders.map((folder) => basename(folder))).toEqual([
      expect.stringMatching(/^checkpoint-postgres-/),
      expect.stringMatching(/^checkpoint-postgres-data-/),
    ]);
    await Promise.all(folders.map(removalOf));
    expect(folders.map(existsSync)).toEqual([false, false]);
  });
});

function removalOf(folder: string): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (existsSync(folder)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(folder), check);
    check();
  });
}
