import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { describeServer, onOneServer } from "../../test-support/targets.js";
import { traceCall } from "../../test-support/trace-call.js";
import { tracedCalls } from "../../test-support/traced-calls.js";

/** The files that the section "The plain path" of a page links to. */
function filesOf(page: string): string[] {
  const text = readFileSync(new URL(`../../docs/internals/${page}`, import.meta.url), "utf8");
  const [, section = ""] = /^## The plain path$([^]*?)(?=^## )/m.exec(text) ?? [];
  return [...section.matchAll(/\]\(\.\.\/\.\.\/(src\/[^)#]+)\)/g)].map(([, file = ""]) => file);
}

describeServer("the plain path of docs/internals", (target) => {
  const itOnOneServer = onOneServer("a call takes another path there", it);

  for (const [call, page] of [
    ["put", "life-of-a-put.md"],
    ["getTuple", "life-of-a-read.md"],
  ] as const) {
    itOnOneServer(`names each file that a warm ${call} runs, once, and no other`, async () => {
      const { source } = await target.sharedDatabase();
      await using saver = new PostgresSaver(source);
      const calls = tracedCalls(saver, "traced");
      await calls.put();
      const ran = [...(await traceCall(calls[call])).keys()];
      const named = filesOf(page);
      expect([
        ...ran
          .filter((file) => !named.includes(file))
          .map((file) => `${file} ran, and ${page} does not name it`),
        ...named
          .filter((file) => !ran.includes(file))
          .map((file) => `${file} is on ${page}, and did not run`),
        ...named.filter((file, at) => named.indexOf(file) < at).map((file) => `${file} is on ${page} twice`),
      ]).toEqual([]);
    });
  }
});
