import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { MarkdownRenderer } from "vitepress";
import { fileUrl, ROOT } from "./package.js";

const DOCS = join(ROOT, "docs");

/** What VitePress serves from the root of the site as it is. */
const PUBLIC = "public/";

/**
 * Makes a relative link that leaves `docs`, such as `../README.md`, a link to the repository on its host, and one to a file in
 * `docs/public` a link to where the site serves it. The same links work as they stand where the page is read in the repository. A link
 * to a file that does not exist fails the build.
 */
export function linkToRepository(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("link-to-repository", ({ tokens, env }) => {
    const page = pageOf(env);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet("href");
      if (token.type === "link_open" && href?.startsWith(PUBLIC) === true)
        token.attrSet("href", href.slice(PUBLIC.length - 1));
      if (token.type !== "link_open" || !href?.startsWith("../")) continue;
      const [path = "", anchor] = href.split("#", 2);
      const target = resolve(dirname(page), path);
      if (target.startsWith(DOCS)) continue;
      if (!existsSync(target))
        throw new Error(`${relative(ROOT, page)} links to ${href}, which does not exist`);
      const url = fileUrl(relative(ROOT, target));
      token.attrSet("href", anchor === undefined ? url : `${url}#${anchor}`);
    }
  });
}

/** The file that markdown-it renders. Its types leave open what VitePress hands over. */
function pageOf(env: unknown): string {
  const page: unknown = typeof env === "object" && env !== null ? Reflect.get(env, "path") : undefined;
  if (typeof page !== "string") throw new Error("VitePress does not say which page it renders");
  return page;
}
