import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { createCheckpoint } from "../../src/checkpoint-store/index.js";
import { EncryptedSerializer } from "../../src/serde/index.js";
import { createPgliteDatabase } from "../../test-support/pglite-target.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { cli, type CliOutcome } from "./cli.js";
import { type CopyEnd, CopyEnds, HAS_REDIS, HAS_SQLITE } from "./copied-stores.js";

const KINDS = [
  "postgres" as const,
  "pglite" as const,
  ...(HAS_SQLITE ? (["sqlite"] as const) : []),
  ...(HAS_REDIS ? (["redis"] as const) : []),
];
const KEY = "0123456789abcdef";
const ESCAPE = "\u001b[31m";

describeServer("store-verify", (server) => {
  let database: TestDatabase<string>;
  let pglite: TestDatabase<PGlite>;
  let ends: CopyEnds;

  beforeAll(async () => {
    database = await server.createDatabase();
    pglite = await createPgliteDatabase();
    ends = await CopyEnds.create(database, pglite.source);
  });

  afterAll(async () => {
    await ends.end();
    await pglite.drop();
  });

  function verify(
    end: CopyEnd,
    env: Readonly<Record<string, string>>,
    ...argv: string[]
  ): Promise<CliOutcome> {
    return cli(["store-verify", ...end.argv("store"), ...argv], { open: ends.openUrl, env });
  }

  it.each(KINDS)("names what can't be read in %s, and reads what is encrypted with the key", async (kind) => {
    const end = ends[kind]();
    await using store = end.open();
    await store.setup();
    const serde = EncryptedSerializer.fromAesKey(KEY);
    const [type, sealed] = await serde.dumpsTyped({ card: 1 });
    const saved = { executionId: "e", nodeName: "n", state: 1 };
    await store.saveMany([
      createCheckpoint({ ...saved, id: "good" }),
      createCheckpoint({ ...saved, id: "sealed", version: 2 }),
      createCheckpoint({ ...saved, id: `${ESCAPE}bad`, version: 3 }),
    ]);
    const states = new Map([
      ["sealed", JSON.stringify({ lc_serde: [type, Buffer.from(sealed).toString("base64")] })],
      [`${ESCAPE}bad`, '{"lc_serde":7}'],
    ]);
    for (const [id, state] of states) {
      const record = await store.backend.load(id, {});
      if (record === undefined) throw new Error("nothing was stored");
      await store.backend.save({ ...record, state }, { onlyNewer: false, keepLast: undefined }, {});
    }
    const withKey = await verify(end, { LANGGRAPH_AES_KEY: KEY });
    expect(withKey).toMatchObject({ code: 1, stderr: "" });
    expect(withKey.stdout).toContain('bad": version 3: the key "lc_serde" holds no encoded state');
    expect(withKey.stdout).toContain("checked 3 checkpoints: 1 problem");
    expect(withKey.stdout).not.toContain("\u001b");
    const { code, stdout } = await verify(end, {}, "--json");
    expect([code, stdout]).toEqual([1, expect.not.stringContaining("\u001b")]);
    expect(JSON.parse(stdout)).toMatchObject({
      checkpoints: 3,
      problems: [{ checkpointId: `${ESCAPE}bad` }, { checkpointId: "sealed", version: 2 }],
    });
    expect(await store.delete("sealed")).toBe(true);
    expect(await store.delete(`${ESCAPE}bad`)).toBe(true);
    expect(await verify(end, {})).toMatchObject({
      code: 0,
      stdout: "checked 1 checkpoint: everything can be read\n",
    });
  });

  it("creates no database, and names the option that is wrong", async () => {
    const missing = await cli(["store-verify", "--store", "sqlite:/none/none.db"]);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("correct --store") });
    const wrong = await cli(["store-verify", "--store", "mysql://localhost"]);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("--store: must start with") });
  });
});
