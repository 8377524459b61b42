import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { EncryptedSerializer } from "../../src/serde/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { describeAnyTarget, describeEachTarget } from "../../test-support/targets.js";
import { cliOn } from "./cli.js";
import { refilledStore } from "./filled-store.js";

const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g;

describeEachTarget("store", (target) => {
  const filled = refilledStore(target);

  it("prints an item with its version and times, and finds it by its value", async () => {
    const { code, stdout } = await filled.run("store", "get", "users.7", "profile");
    expect({ code, stdout: stdout.replaceAll(TIME, "time") }).toEqual({
      code: 0,
      stdout: `namespace  users.7
key        profile
version    1
created    time  just now
updated    time  just now
expires    never

  { age: 36, name: 'Ada' }
`,
    });
    const adults = await filled.run("store", "search", "users", "--filter", '{"age": {"$gte": 18}}');
    expect(adults.stdout).toMatch(
      /^NAMESPACE +KEY +UPDATED +VERSION +VALUE\nusers\.7 +profile .* 1 +\{ age: 36, name: 'Ada' \}\n$/,
    );
  });

  it("stores what standard input or the argument holds", async () => {
    const stdin = cliOn(filled.database, { stdin: '{"name": "Eve",\n "tags": [1, 2.5]}' });
    expect(await stdin("store", "put", "users.9", "profile")).toEqual({
      code: 0,
      stdout: "stored item profile of namespace users.9\n",
      stderr: "",
    });
    await filled.run("store", "put", "users.9", "short", "{}", "--ttl", "90s");
    expect(await filled.json("store", "get", "users.9", "profile")).toMatchObject({
      namespace: ["users", "9"],
      value: { name: "Eve", tags: [1, 2.5] },
      version: 1,
      expiresAt: null,
    });
    const rows = await filled.database.query("select ttl_minutes from store where key = 'short'");
    expect(rows).toEqual([{ ttl_minutes: 1.5 }]);
  });
});

describeAnyTarget("store export and import", (target) => {
  const filled = refilledStore(target);
  const { run, json } = filled;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "store-backup-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it("restore items from a file into any schema, and skip them the second time", async () => {
    const file = join(folder, "items.ndjson");
    expect((await run("store", "export", "--output", file)).stdout).toBe("exported 5 items\n");
    expect((await stat(file)).mode & 0o077).toBe(0);
    await run("migrate", "--with", "store", "--schema", "restored");
    expect((await run("store", "import", file, "--schema", "restored")).stdout).toBe("imported 5 items\n");
    expect(await json("store", "get", "users.7", "profile", "--schema", "restored")).toEqual(
      await json("store", "get", "users.7", "profile"),
    );
    expect((await run("store", "import", file)).stdout).toBe(
      "imported 0 items, skipped 5 items that already existed\n",
    );
  });

  it("write only the backup to standard output, and read it from standard input", async () => {
    const { code, stdout, stderr } = await run("store", "export", "users.7");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "exported 3 items\n" });
    expect(stdout).toMatch(/^\{"format":"langgraph-store-backup","version":1\}\n(\{.*\}\n)+$/);
    await run("store", "delete", "users.7", "--all", "--yes");
    const piped = cliOn(filled.database, { stdin: stdout });
    expect(JSON.parse((await piped("store", "import", "--json")).stdout)).toEqual({
      items: 3,
      skipped: 0,
      expired: 0,
    });
  });

  it("store nothing of a damaged file, and name the line", async () => {
    const file = join(folder, "items.ndjson");
    await run("store", "export", "--output", file);
    await run("store", "delete", "users", "--all", "--yes");
    const whole = await readFile(file, "utf8");
    await writeFile(file, whole.slice(0, -40));
    expect(await run("store", "import", file)).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^error: line 7: the backup is truncated or damaged/),
    });
    expect(await json("store", "namespaces")).toMatchObject({ namespaces: [["shared"]] });
    expect(await run("import", file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/not a backup/),
    });
  });
});

describeAnyTarget("store", (target) => {
  const filled = refilledStore(target);
  const { run, json } = filled;

  it("lists namespaces by their labels, cut off and page by page", async () => {
    expect((await run("store", "namespaces")).stdout).toBe(
      "NAMESPACE\nshared\nusers.7\nusers.7.facts\nusers.8\n",
    );
    expect(await json("store", "namespaces", "--prefix", "users.*", "--max-depth", "2")).toEqual({
      namespaces: [
        ["users", "7"],
        ["users", "8"],
      ],
      next: null,
    });
    expect(await json("store", "namespaces", "--suffix", "facts")).toMatchObject({
      namespaces: [["users", "7", "facts"]],
    });
    const { stdout } = await run("store", "namespaces", "--prefix", "users", "--limit", "2");
    expect(stdout).toMatch(/\n\nnext page: store namespaces --prefix users --limit 2 --offset 2\n$/);
    expect(await json("store", "namespaces", "--limit", "3", "--offset", "3")).toEqual({
      namespaces: [["users", "8"]],
      next: null,
    });
  });

  it("searches a namespace and what is below it, by conditions and by words", async () => {
    const keysOf = async (...argv: string[]) => {
      const { items } = (await json("store", "search", ...argv)) as { items: { key: string }[] };
      return items.map(({ key }) => key);
    };
    expect((await keysOf("users.7")).sort()).toEqual(["1", "profile", "settings"]);
    expect(await keysOf("--query", "tea")).toEqual(["1"]);
    expect(await keysOf("users.8", "--query", "tea")).toEqual([]);
    expect(await keysOf("--filter", '{"theme": "dark"}')).toEqual(["settings"]);
    expect(await keysOf("--filter", '{"__proto__": "dark"}')).toEqual([]);
    const { stdout } = await run("store", "search", "--limit", "1", "--filter", '{"age": {"$lt": 18}}');
    expect(stdout).toMatch(
      /next page: store search --filter '\{"age":\{"\$lt":18\}\}' --limit 1 --offset 1\n$/,
    );
    expect((await run("store", "search", "none")).stdout).toBe("no items\n");
  });

  it("leaves the times of items as they are when it reads them", async () => {
    const times = () => filled.database.query("select key, expires_at, updated_at from store order by 1");
    const before = await times();
    await run("store", "get", "users.7", "settings");
    await run("store", "search");
    expect(await times()).toEqual(before);
  });

  it("replaces an item only if it has the expected version", async () => {
    const put = (version: string) =>
      run("store", "put", "users.7", "profile", '{"name": "Eve"}', "--if-version", version);
    expect(await put("2")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/expected version 2, but it has version 1/),
    });
    expect(await put("1")).toMatchObject({ code: 0 });
    expect(await put("0")).toMatchObject({ code: 1 });
    expect(await json("store", "get", "users.7", "profile")).toMatchObject({ version: 2 });
  });

  it("reads encrypted values with the key in the environment, and stores none in clear text among them", async () => {
    const key = "0123456789abcdef";
    await using sealed = new PostgresStore(filled.database.source, {
      serde: EncryptedSerializer.fromAesKey(Buffer.from(key)),
      visibleKeys: ["kind"],
    });
    await sealed.put(["sealed"], "k", { kind: "note", secret: "tea" });
    const withKey = cliOn(filled.database, { env: { LANGGRAPH_AES_KEY: key } });
    for (const argv of [
      ["get", "sealed", "k"],
      ["search", "sealed"],
      ["search", "--query", "note"],
    ]) {
      expect(await withKey("store", ...argv)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("secret: 'tea'"),
      });
      expect(await run("store", ...argv)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/item "k" of namespace \["sealed"\]: .*set .* LANGGRAPH_AES_KEY/),
      });
    }
    const put = await withKey("store", "put", "sealed", "other", "{}");
    expect(put).toMatchObject({ code: 1, stderr: expect.stringMatching(/use a store with that serializer/) });
    expect(await filled.database.query("select key from store where key = 'other'")).toEqual([]);
  });

  it("says what it would delete, asks, and deletes it", async () => {
    const keys = async () => (await filled.database.query("select key from store")).length;
    const named = ["store", "delete", "users.7", "settings", "none"];
    expect(await run(...named, "--dry-run")).toMatchObject({
      code: 0,
      stdout: "would delete 1 item of namespace users.7\nnot found: none\n",
    });
    expect(await run(...named)).toMatchObject({ code: 2, stderr: expect.stringMatching(/--yes: required/) });
    const asked = await cliOn(filled.database, { isTTY: true, stdin: "no\n" })(...named);
    expect(asked).toMatchObject({ code: 1, stdout: "nothing was changed\n" });
    expect(asked.stderr).toMatch(/Delete.* 1 item of namespace users\.7\? \[y\/N\]/);
    expect(await keys()).toBe(5);
    expect((await run(...named, "--yes")).stdout).toMatch(/^deleted 1 item of namespace users\.7\n/);
    expect(await keys()).toBe(4);
    expect((await run(...named)).stdout).toMatch(/^nothing to delete: 0 items/);
    expect((await run("store", "delete", "users.7", "--all", "--dry-run")).stdout).toBe(
      "would delete namespace users.7 with 2 items\n",
    );
    expect(await json("store", "delete", "users.7", "--all", "--yes")).toMatchObject({ deleted: 2 });
    expect(await keys()).toBe(2);
  });

  it("sweeps what has expired", async () => {
    await filled.database.exec("update store set expires_at = now() where expires_at is not null");
    expect((await run("store", "sweep")).stdout).toBe("deleted 1 expired item\n");
    expect((await run("store", "sweep")).stdout).toBe("deleted 0 expired items\n");
  });

  it("prints stored text without characters that a terminal obeys", async () => {
    const nasty = "a\u001b[2Jb\nc";
    await filled.database.query("insert into store (prefix, key, value) values ($1, $2, $3)", [
      `x${nasty}`,
      nasty,
      JSON.stringify({ [nasty]: nasty }),
    ]);
    for (const argv of [["namespaces"], ["search"], ["get", `x${nasty}`, nasty], ["get", nasty, nasty]]) {
      const { stdout, stderr } = await run("store", ...argv);
      expect(`${stdout}${stderr}`).toMatch(/\\u001b|\\x1B/);
      expect(`${stdout}${stderr}`).not.toContain("\u001b");
    }
  });

  it.each([
    [["get", "a..b", "k"], /Expected labels joined by periods/],
    [["get", "", "k"], /Expected labels joined by periods/],
    [["put", "langgraph.x", "k", "{}"], /Root label for namespace cannot be "langgraph"/],
    [["put", "x", "k", "[1]"], /value: must be a JSON object/],
    [["put", "x", "k", "{}", "--ttl", "0s"], /longer than zero/],
    [["put", "x", "k"], /value: pass a JSON object/],
    [["search", "--filter", '{"a": {"$foo": 1}}'], /unknown operator \$foo/],
    [["search", "--limit", "0"], /at least 1/],
    [["delete", "x"], /name the keys of the items, or pass --all/],
    [["delete", "x", "k", "--all"], /name the keys of the items, or pass --all/],
    [["what"], /unknown command 'what'/],
  ])("refuses wrong usage: %j", async (argv, message) => {
    const { code, stderr } = await run("store", ...argv);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  });

  it("names its subcommands where none is given", async () => {
    const { code, stderr } = await run("store");
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/namespaces[^]*sweep/) });
  });

  it("says which item or which tables are missing", async () => {
    expect(await run("store", "get", "users.7", "none")).toEqual({
      code: 1,
      stdout: "",
      stderr: 'error: namespace "users.7" has no item "none"; `store search` lists its items\n',
    });
    const backup = (await run("store", "export")).stdout;
    const piped = cliOn(filled.database, { stdin: backup });
    for (const argv of [["namespaces"], ["export"], ["import"]]) {
      const { code, stderr } = await piped("store", ...argv, "--schema", "else");
      const command = "npx langgraph-checkpoint-kysely migrate --schema else --with store";
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(
          `^error: the tables of the store in schema "else" are missing .*, or run \`${command}\` \\(relation [^()]*\\(SQLSTATE 42P01\\)\\)\n$`,
        ),
      });
    }
  });
});
