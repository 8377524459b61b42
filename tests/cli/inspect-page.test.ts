import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { EncryptedSerializer } from "../../src/serde/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";
import { cli, cliOn, type CliOutcome, importModule, SERVED } from "./cli.js";
import { PROGRAM } from "./program.js";

const KEY = "0123456789abcdef";
const PASSWORD = /:([^:@/]+)@/;

describeServer("inspect", (server) => {
  let database: TestDatabase<string>;

  beforeAll(async () => {
    database = await server.migratedDatabase();
    const saver = new PostgresSaver(database.source, EncryptedSerializer.fromAesKey(KEY));
    await putValues(saver, threadConfig("42"), { plan: "A" });
    await saver.end();
  });

  /** Runs the command while the page is used. */
  async function inspect(
    argv: readonly string[],
    use: (ask: (call: string, body?: object) => Promise<unknown>, address: string) => Promise<void>,
  ): Promise<CliOutcome> {
    const stop = new AbortController();
    let printed = "";
    const stdout = { write: (text: string) => (printed += text) };
    const { run } = await import("../../src/cli/index.js");
    const env = { DATABASE_URL: database.source, LANGGRAPH_AES_KEY: KEY };
    const ended = run(["inspect", ...argv], {
      stdout,
      stderr: stdout,
      env,
      signal: stop.signal,
      importModule,
    });
    await until(() => Promise.resolve(printed.endsWith("\n")));
    const [address = ""] = SERVED.exec(printed) ?? [];
    try {
      const { headers } = await fetch(address, { redirect: "manual" });
      const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";");
      const ask = async (call: string, args: object = {}): Promise<unknown> => {
        const url = new URL(`/api/${call}`, address);
        const headers = { cookie, origin: url.origin, "content-type": "application/json" };
        return (await fetch(url, { method: "POST", body: JSON.stringify(args), headers })).json();
      };
      await use(ask, address);
    } finally {
      stop.abort();
    }
    return { code: await ended, stdout: printed, stderr: "" };
  }

  it("shows what the command line reads, and ends with success at an interrupt", async () => {
    const { code, stdout } = await inspect([], async (read) => {
      expect(await read("overview")).toMatchObject({ may: { edit: false }, schema: "public" });
      expect(await read("threads")).toMatchObject({ threads: [{ threadId: "42" }] });
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}\nRead-only: /);
  });

  it("lets the page change threads with --write, and no page names a password", async () => {
    const [, password = ""] = PASSWORD.exec(database.source) ?? [];
    await inspect(["--write"], async (read) => {
      const answers = JSON.stringify([await read("overview"), await read("health"), await read("nothing")]);
      expect(answers).toContain('"edit":true');
      if (password !== "") expect(answers).not.toContain(`:${password}@`);
    });
  });

  it("stores items of the page as plain JSON, also with a key", async () => {
    await using store = new PostgresStore(database.source);
    await store.setup();
    const item = { namespace: ["users"], key: "tea", value: { text: "green" } };
    await inspect(["--write"], async (ask) => {
      expect(await ask("createItem", item)).toEqual({});
      expect(await ask("editItem", { ...item, value: { text: "black" }, version: 1 })).toEqual({});
    });
    expect((await store.get(["users"], "tea"))?.value).toEqual({ text: "black" });
  });

  it("prints one line of JSON with the address", async () => {
    const { code, stdout } = await inspect(["--json"], () => Promise.resolve());
    expect(code).toBe(0);
    expect(stdout.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(stdout)).toEqual({ address: expect.stringMatching(SERVED), write: false });
  });

  it("serves on the port of --port, and refuses one that is taken or is none", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const refused = await cliOn(database)("inspect", "--port", String(port));
    expect(refused).toMatchObject({
      code: 2,
      stderr: `error: --port: can't listen on ${port}: another program uses it\n`,
    });
    await once(taken.close(), "close");
    await inspect(["--port", String(port)], (_read, address) => {
      expect(new URL(address).port).toBe(String(port));
      return Promise.resolve();
    });
    expect(await cliOn(database)("inspect", "--port", "65536")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("at most 65535"),
    });
  });

  it("says that the tables are missing in an empty schema", async () => {
    const { stdout } = await inspect(["--schema", "empty"], async (read) => {
      expect(await read("threads")).toMatchObject({ error: { code: "MIGRATION_REQUIRED" } });
    });
    expect(stdout).toContain(
      'error: the inspector failed: the checkpoint tables in schema "empty" are missing',
    );
  });

  it("tests the connection first", async () => {
    const outcome = await cli(["inspect", "--url", "postgres://127.0.0.1:1/agents"]);
    expect(outcome).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("ECONNREFUSED") });
  });

  (process.platform === "linux" ? describe : describe.skip)("as a program", () => {
    it("opens the browser, and ends at Ctrl-C with success", async () => {
      const folder = await mkdtemp(join(tmpdir(), "browser-"));
      const opened = join(folder, "opened");
      await writeFile(join(folder, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`);
      await chmod(join(folder, "xdg-open"), 0o755);
      const env = {
        ...withoutNodeOptions(),
        DATABASE_URL: database.source,
        PATH: `${folder}:${process.env.PATH ?? ""}`,
      };
      const child = spawn(process.execPath, [PROGRAM, "inspect", "--open"], { env });
      let printed = "";
      child.stdout.on("data", (text: Buffer) => (printed += text.toString()));
      await until(async () => (await readFile(opened, "utf8").catch(() => "")) !== "" && printed !== "");
      expect(printed).toContain(`${await readFile(opened, "utf8")}\n`);
      child.kill("SIGINT");
      expect(await once(child, "exit")).toEqual([0, null]);
      await rm(folder, { recursive: true });
    });
  });
});
