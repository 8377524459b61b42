import { basename } from "node:path";
import { expect, it } from "@jest/globals";
import { unusedKeys } from "../../docs/.vitepress/reference/explained-in.js";
import { referencePages } from "../../docs/.vitepress/reference/pages.js";

it("the tables of options, errors, metrics and commands are what the sources say; npm run docs:reference writes them", async () => {
  const pages = await referencePages();
  expect(pages.map(({ file }) => basename(file.pathname))).toEqual(
    expect.arrayContaining(["cli.md", "observability.md", "options.md", "troubleshooting.md"]),
  );
  expect(pages.filter(({ text, fresh }) => text !== fresh).map(({ file }) => file.pathname)).toEqual([]);
  expect(unusedKeys()).toEqual([]);
});
