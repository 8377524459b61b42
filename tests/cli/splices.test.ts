import { expect, it } from "@jest/globals";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { FORMATS, gcm } from "./formats.js";
import { threadsInFormats } from "./threads-in-formats.js";

describeAnyTarget("commands on threads with splices", (target) => {
  const formats = threadsInFormats(target);
  const { saverOf, run, valuesOf } = formats;

  const rows = (thread: string) =>
    formats.database.query<{ type: string; base: string | null }>(
      "select type, base from checkpoint_blobs where thread_id = $1 order by version",
      [thread],
    );

  it.each(FORMATS)(
    "read them, and expand and compact them in their format: %s",
    async (_name, serde, env, type) => {
      const thread = newThread();
      const saver = saverOf(serde(), { splices: true });
      // Compresses well enough for each algorithm to compress it.
      const plan = [`${text(6_000)}${"long ".repeat(1_200)}`];
      const first = await putValues(saver, threadConfig(thread), { plan });
      const values = { plan: [...plan, "more"] };
      await putValues(saver, first.config, values, first.checkpoint);
      expect(await rows(thread)).toMatchObject([{ type, base: null }, { base: expect.any(String) }]);

      expect(await run(["state", thread], env)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("more"),
      });
      expect(await run(["verify", thread], env)).toMatchObject({ code: 0, stderr: "" });
      expect(await run(["expand", thread, "--dry-run"], env)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^would expand 1 value \(.* to .*\) of 1 thread\n/),
      });
      const expanded = await run(["expand", thread, "--json"], env);
      expect(JSON.parse(expanded.stdout)).toMatchObject({
        threads: 1,
        values: 1,
        missing: [],
        dryRun: false,
      });
      expect(await rows(thread)).toEqual([
        { type, base: null },
        { type, base: null },
      ]);
      expect(await valuesOf(saver, thread)).toEqual(values);

      expect(await run(["compact", thread, "unknown"], env)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^compacted 1 value \(.* to .*\) of 1 thread\nnot found: unknown\n/),
      });
      expect(await rows(thread)).toMatchObject([{ base: null }, { base: expect.any(String) }]);
      expect(await valuesOf(saver, thread)).toEqual(values);
      expect(await run(["fork", thread, "--set", `plan=["${text(6_000)}"]`], env)).toMatchObject({
        code: 0,
        stderr: "",
      });
      expect((await run(["compact", thread], env)).stdout).toMatch(/^nothing to compact/);
    },
  );

  it("change nothing in a thread that is encrypted with a key of the service", async () => {
    const thread = newThread();
    const saver = saverOf(gcm(), { splices: true });
    const plan = text(6_000);
    let put = await putValues(saver, threadConfig(thread), { plan });
    for (const more of ["A", "B"]) {
      put = await putValues(saver, put.config, { plan: plan + more }, put.checkpoint);
      await saverOf(gcm()).expand({ threads: more === "A" ? [thread] : [] });
    }
    const stored = await rows(thread);
    for (const command of ["compact", "expand"]) {
      const { code, stdout } = await run([command, thread]);
      expect({ code, stdout }).toEqual({
        code: 3,
        stdout: expect.stringContaining("only the service that wrote it has the keys"),
      });
    }
    expect(await rows(thread)).toEqual(stored);
  });
});
