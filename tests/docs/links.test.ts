import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { sidebar } from "../../docs/.vitepress/sidebar.js";
import { slugify } from "../../docs/.vitepress/slugify.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** What is generated is checked where it is generated: by TypeDoc and VitePress. */
const GENERATED = /^(?:api|\.vitepress)\//;
const PAGES = [
  ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"],
  ...["bench/README.md", "examples/chat/README.md", "examples/service/README.md"],
  "tests/fixtures/releases/README.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !GENERATED.test(path))
    .map((path) => `docs/${path}`),
];
/** A link whose text is the name of a source file. */
const NAMED_FILE = /\[([\w.-]+\.[cm]?tsx?)\]\(([^)\s]+)\)/g;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
/** A link in a heading, of which the anchor has the text. */
const MARKUP = /\[([^\]]*)\]\([^)]*\)/g;
const CODE = /^ *```[^]*?^ *```/gm;

function anchorsIn(path: string): Set<string> {
  const text = readFileSync(path, "utf8").replaceAll(CODE, "");
  return new Set(
    [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
      slugify(heading.replaceAll(MARKUP, "$1")),
    ),
  );
}

/** What is wrong with a link of a page, where something is. */
function problemOf(page: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = "", anchor] = link.split("#", 2);
  const target = path === "" ? join(ROOT, page) : join(ROOT, dirname(page), path);
  if (!existsSync(target)) return `${link}: there is no ${relative(ROOT, target)}`;
  if (anchor === undefined || statSync(target).isDirectory()) return undefined;
  return anchorsIn(target).has(anchor) ? undefined : `${link}: there is no such heading`;
}

describe("links", () => {
  it.each(PAGES)("of %s lead to files and headings that exist", (page) => {
    const text = readFileSync(join(ROOT, page), "utf8").replaceAll(CODE, "");
    const links = [...text.matchAll(LINK)].map(([, link = ""]) => link);
    expect(links.flatMap((link) => problemOf(page, link) ?? [])).toEqual([]);
  });

  it.each(PAGES)("of %s lead to the files that their texts name", (page) => {
    const links = readFileSync(join(ROOT, page), "utf8").matchAll(NAMED_FILE);
    expect([...links].filter(([, name, link = ""]) => name !== basename(link)).map(([text]) => text)).toEqual(
      [],
    );
  });

  it("of docs/index.md lead to every page", () => {
    const text = readFileSync(join(ROOT, "docs/index.md"), "utf8");
    const linked = [...text.matchAll(LINK)].map(([, link = ""]) => `docs/${link}`);
    const missing = PAGES.filter((page) => /^docs\/[^/]+$/.test(page) && !linked.includes(page));
    expect(missing).toEqual(["docs/index.md"]);
  });

  it("of the sidebar lead to every page", () => {
    const links = sidebar.flatMap(({ items }) => items.map(({ link }) => link));
    const linked = links.filter((link) => !link.startsWith("/api/")).map((link) => `docs${link}.md`);
    const pages = PAGES.filter((page) => page.startsWith("docs/") && page !== "docs/index.md");
    expect(new Set(linked)).toEqual(new Set(pages));
  });
});
