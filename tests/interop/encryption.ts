import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { DeserializationError, PostgresSaver } from "../../src/index.js";
import { EncryptedSerializer } from "../../src/serde/index.js";
import { describeServer } from "../../test-support/targets.js";
import { parallel, talk } from "./agents.js";
import { configOf, TwoLanguages } from "./two-languages.js";

const KEY = "0123456789abcdef0123456789abcdef";

/** Threads whose values both languages encrypt with one key. */
export function describeEncryption(interpreter: string): void {
  describeServer("an encrypted thread of both languages", (target) => {
    let both: TwoLanguages;
    beforeAll(async () => {
      both = await TwoLanguages.start(target, interpreter, {
        serde: EncryptedSerializer.fromAesKey(KEY),
        key: KEY,
      });
    });
    afterAll(() => both.end());

    it("continues in either language, and errors for a wrong key or a changed row name the place", async () => {
      const config = configOf("secret");
      await both.runInPython("talk", "secret", { say: "one" });
      await both.runHere(talk, "secret", new Command({ resume: "two" }));
      await both.runHere(talk, "secret", { messages: [new HumanMessage({ content: "three", id: "three" })] });
      await both.runInPython("talk", "secret", { resume: "four" });
      const { differences } = await both.python.do("compare", { thread: "secret" });
      // Python stores scalars in the header. TypeScript encrypts them when it writes them, and then 3.0 is 3.
      expect(differences).toEqual(["whole: float became int 3"]);

      const kinds = await both.database.query(
        `select distinct type from (select type from checkpoint_blobs union all select type from checkpoint_writes) rows
         where type <> 'empty' order by type`,
      );
      expect(kinds).toEqual([{ type: "msgpack+aes" }, { type: "null+aes" }]);

      const otherKey = new PostgresSaver(
        both.database.source,
        EncryptedSerializer.fromAesKey("k".repeat(32)),
      );
      const refused = await otherKey.getTuple(config).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(DeserializationError);
      expect(refused).toMatchObject({ threadId: "secret", typeTag: expect.stringMatching(/\+aes$/) });
      expect(String(refused)).toMatch(/thread "secret", checkpoint ".+", channel ".+": the value can't be/);
      await otherKey.end();

      await both.database.query(
        "update checkpoint_blobs set blob = set_byte(blob, 40, get_byte(blob, 40) # 1) where channel = 'messages'",
      );
      const tampered = await both.saver.getTuple(config).catch((error: unknown) => error);
      expect(tampered).toMatchObject({ constructor: DeserializationError, channel: "messages" });
    });

    it("that is compacted fails in Python until it is expanded, and then continues there", async () => {
      const read = () => both.python.do("state", { agent: "parallel", thread: "compacted", keys: ["log"] });
      const long = "long ".repeat(1_000);
      await both.runInPython("parallel", "compacted", { input: { log: [long] } });
      const { values } = await read();
      expect(await both.saver.compact({ threads: ["compacted"] })).toMatchObject({ values: 2 });
      await expect(read()).rejects.toThrow(/Unknown serialization type: msgpack-splice/);
      expect((await parallel(both.saver).getState(configOf("compacted"))).values).toEqual(values);

      await both.saver.expand({ threads: ["compacted"] });
      expect(await read()).toMatchObject({ values });
      await both.runInPython("parallel", "compacted", { input: { log: ["again"] } });
      expect((await parallel(both.saver).getState(configOf("compacted"))).values).toEqual({
        log: [long, "left", "right", "join", "again", "left", "right", "join"],
      });
    });
  });
}
