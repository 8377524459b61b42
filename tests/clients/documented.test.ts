import { readFileSync } from "node:fs";
import { it } from "@jest/globals";
import { expectTable } from "../docs/written-table.js";
import { TRIED } from "./tried.js";

it("docs/clients.md says what is tried, with which versions; npm run docs:clients writes it", async () => {
  const rows = TRIED.map(({ name, from, tried }) => [`\`${name}\``, `\`${from}\` ${versionOf(from)}`, tried]);
  const table = { page: "clients.md", from: "packages", script: "docs:clients" };
  await expectTable(table, ["client", "version", "tried"], rows);
});

function versionOf(name: string): string {
  const manifest = readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
