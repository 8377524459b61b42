import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { AesGcmSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const page = readFileSync(new URL("../../docs/encryption.md", import.meta.url), "utf8");
const queries = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql ?? "");

describeAnyTarget("the statements of docs/encryption.md", (target) => {
  it("list unencrypted values, and the keys that are still needed", async () => {
    const database = await target.createDatabase();
    const { source } = database;
    const keysOf = (...ids: number[]) => ids.map((id) => ({ id: String(id), key: Buffer.alloc(32, id) }));
    const plain = new PostgresSaver(source);
    const one = new PostgresSaver(source, new AesGcmSerializer(new MsgpackSerializer(), { keys: keysOf(1) }));
    const two = new PostgresSaver(
      source,
      new AesGcmSerializer(new MsgpackSerializer(), { keys: keysOf(2, 1) }),
    );
    await plain.setup();
    for (const [thread, saver] of Object.entries({ plain, one, two })) {
      const { config } = await putValues(saver, threadConfig(thread), { list: [thread], text: thread });
      await saver.putWrites(config, [["list", thread]], "task");
    }
    const [unencrypted = "", keys = ""] = queries;
    expect(queries).toHaveLength(2);
    expect(
      new Set((await database.query(unencrypted)).map((row) => Object.values(row).join(" of "))),
    ).toEqual(new Set(["values of plain", "writes of plain", "headers of plain"]));
    expect(new Map((await database.query(keys)).map(({ key, count }) => [key, Number(count)]))).toEqual(
      new Map([["1", 3], ["2", 3]]), // oxfmt-ignore
    );
    for (const saver of [plain, one, two]) await saver.end();
  });
});
