import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { describeServer, onOneServer } from "../../test-support/targets.js";
import { traceCall } from "../../test-support/trace-call.js";
import { tracedCalls } from "../../test-support/traced-calls.js";

const PAGE = readFileSync(new URL("../../docs/internals/life-of-a-call.md", import.meta.url), "utf8");

/** The files that the section "The plain path of …" links to. */
function filesOf(call: "a put" | "a read"): string[] {
  const [, section = ""] = new RegExp(`^## The plain path of ${call}$([^]*?)(?=^## )`, "m").exec(PAGE) ?? [];
  return [...section.matchAll(/\]\(\.\.\/\.\.\/(src\/[^)#]+)\)/g)].map(([, file = ""]) => file);
}

describeServer("the plain paths of docs/internals/life-of-a-call.md", (target) => {
  const itOnOneServer = onOneServer("a call takes another path there", it);
  const ofPut = filesOf("a put");

  for (const { call, shared, own } of [
    { call: "put", shared: [], own: ofPut },
    // What a read has in common with a put is named there.
    { call: "getTuple", shared: ofPut, own: filesOf("a read") },
  ] as const) {
    itOnOneServer(`name each file that a warm ${call} runs, once, and no other`, async () => {
      const { source } = await target.sharedDatabase();
      await using saver = new PostgresSaver(source);
      const calls = tracedCalls(saver, "traced");
      await calls.put();
      const ran = [...(await traceCall(calls[call])).keys()];
      const named = [...shared, ...own];
      expect([
        ...ran
          .filter((file) => !named.includes(file))
          .map((file) => `${file} ran, and the page does not name it`),
        ...own
          .filter((file) => !ran.includes(file))
          .map((file) => `${file} is in the section, and did not run`),
        ...named.filter((file, at) => named.indexOf(file) < at).map((file) => `${file} is on the page twice`),
      ]).toEqual([]);
    });
  }
});
