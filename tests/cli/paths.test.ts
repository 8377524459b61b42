import { existsSync } from "node:fs";
import { posix, win32 } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { parseStoreLocation } from "../../src/cli/checkpoint-stores/store-url.js";
import { moduleUrl } from "../../src/cli/options/load-module.js";

const NONE = { table: undefined, schema: undefined, prefix: undefined };

describe.each([
  { system: "Linux and macOS", path: posix, folder: "/work/my data", url: "file:///work/my%20data/keys.mjs" },
  {
    system: "Windows",
    path: win32,
    folder: String.raw`C:\work\my data`,
    url: "file:///C:/work/my%20data/keys.mjs",
  },
  {
    system: "a share of Windows",
    path: win32,
    folder: String.raw`\\host\work\my data`,
    url: "file://host/work/my%20data/keys.mjs",
  },
])("the command line on $system", ({ path, folder, url }) => {
  it("imports a module by its path", () => {
    expect(moduleUrl(path.join(folder, "keys.mjs"), path === win32)).toBe(url);
    expect(moduleUrl(path.join(folder, "other", "..", "keys.mjs"), path === win32)).toBe(url);
  });

  it("takes the path of a SQLite database as it is", () => {
    const file = path.join(folder, "agents.db");
    const location = parseStoreLocation("from", `sqlite:${file}`, NONE);
    expect([location.kind, location.url.slice("sqlite:".length)]).toEqual(["sqlite", file]);
  });
});

it("a module is found from the working directory", () => {
  expect(existsSync(new URL(moduleUrl("package.json")))).toBe(true);
});
