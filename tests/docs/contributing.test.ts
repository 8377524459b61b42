import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TEXT = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");

describe("CONTRIBUTING", () => {
  it("has at most 8,000 bytes: details are in docs/internals", () => {
    expect(Buffer.byteLength(TEXT)).toBeLessThanOrEqual(8_000);
  });

  it("names each room of src, and no other", () => {
    const rooms = readdirSync(join(ROOT, "src")).filter((name) =>
      statSync(join(ROOT, "src", name)).isDirectory(),
    );
    const [, section = ""] = /^## Rooms$([^]*?)^## /m.exec(TEXT) ?? [];
    const named = [...section.matchAll(/^- `([^`]+)`: \S/gm)].map(([, name = ""]) => name);
    expect(named.sort()).toEqual(rooms.sort());
  });

  it("links to each page of docs/internals", () => {
    const pages = readdirSync(join(ROOT, "docs/internals")).map((page) => `docs/internals/${page}`);
    expect(pages.filter((page) => !TEXT.includes(`](${page})`))).toEqual([]);
  });
});
