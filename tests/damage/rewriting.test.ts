import { expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { cliOn } from "../cli/cli.js";

describeAnyTarget("rewriting threads of which one has an unreadable value", (target) => {
  it.each(["compact", "expand", "sanitize"] as const)(
    "%s names the value, leaves its thread and does the others, and stops there with `strict`",
    async (name) => {
      const database = await target.sharedDatabase();
      await using saver = new PostgresSaver(database.source);
      await using splicing = new PostgresSaver(database.source, undefined, { splices: true });
      for (const thread of ["a", "b", "c"]) {
        const list = [text(6_000)];
        const first = await putValues(splicing, threadConfig(thread), { list });
        list.push(text(100));
        const second = await putValues(splicing, first.config, { list }, first.checkpoint);
        await putValues(saver, second.config, { list: [...list, text(100)] }, second.checkpoint);
      }
      // The second value is a splice of it, and can't be read any more.
      await database.query(
        `update checkpoint_blobs set blob = set_byte(blob, 1000, 0)
         where thread_id = 'b' and version = (select min(version) from checkpoint_blobs where thread_id = 'b')`,
      );
      const place = { threadId: "b", checkpointNs: "", channel: "list" };
      const done = { compact: 2, expand: 2, sanitize: 0 }[name];
      const counted = await saver[name]({ dryRun: true });
      expect(counted).toMatchObject({ threads: done, values: done, damaged: [place] });
      await expect(saver[name]({ strict: true })).rejects.toMatchObject({ channel: "list" });
      const run = cliOn(database);
      expect(await run(name, "--strict")).toMatchObject({ code: 1 });
      const printed = await run(name, "--json");
      expect(printed).toMatchObject({ code: 3 });
      const damaged = [{ ...place, version: expect.any(String), reason: expect.stringMatching(/./) }];
      expect(JSON.parse(printed.stdout)).toMatchObject({ damaged });
      const { code, stdout } = await run(name);
      expect(code).toBe(3);
      expect(stdout).toMatch(
        /left, because they can't be read .*\n {2}thread "b", channel "list", version "\d+\..*": \w/,
      );
      expect(await saver[name]({ threads: ["a", "c"] })).toMatchObject({ values: 0, damaged: [] });
    },
  );
});
