import { readFile, writeFile } from "node:fs/promises";
import { expect, it } from "@jest/globals";
import { describePglite } from "../../test-support/targets.js";
import { cliOn, SERVED } from "./cli.js";
import { fillDatabase } from "./filled-database.js";
import { fillStore } from "./filled-store.js";

const DOCS = new URL("../../docs/cli.md", import.meta.url);
/** A command line and its output. */
const BLOCK = /```console\n\$ npx langgraph-checkpoint-kysely ([^\n]+)\n([^`]*)```/g;
const WORD = /'([^']*)'|(\S+)/g;

describePglite("docs/cli.md", (target) => {
  it("shows the output of the commands; CLI_DOCS=write updates it", async () => {
    const database = await target.createDatabase();
    await fillDatabase(database);
    await fillStore(database);
    const run = cliOn(database, { interruptAt: SERVED });
    const text = await readFile(DOCS, "utf8");
    let printed = text;
    for (const [block, line = ""] of text.matchAll(BLOCK)) {
      const argv = [...line.matchAll(WORD)].map(([, quoted, bare]) => quoted ?? bare ?? "");
      const { stdout, stderr } = await run(...argv);
      printed = printed.replace(
        block,
        () => `\`\`\`console\n$ npx langgraph-checkpoint-kysely ${line}\n${stdout}${stderr}\`\`\``,
      );
    }
    if (process.env.CLI_DOCS === "write") await writeFile(DOCS, printed);
    else expect(comparable(text)).toBe(comparable(printed));
    expect([...text.matchAll(BLOCK)].length).toBeGreaterThan(10);
  });
});

/** Replaces everything that differs from run to run: ids, times, and the lengths of random versions. */
function comparable(text: string): string {
  const ids: string[] = [];
  const numbered = text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
    if (!ids.includes(id)) ids.push(id);
    return `id ${ids.indexOf(id)}`;
  });
  return numbered
    .replaceAll(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z/g, "time")
    .replaceAll(/just now|\d+ (minute|hour|day)s? ago/g, "ago")
    .replaceAll(/[\d.]+ k?B\b/g, "size")
    .replaceAll(new RegExp(SERVED, "g"), "address")
    .replaceAll(/\d{32}\.0\.\d+|[0-9a-f]{64}/g, "random")
    .replaceAll(/ +/g, " ");
}
