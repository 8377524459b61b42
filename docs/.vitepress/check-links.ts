import type { SiteConfig } from "vitepress";
import { readLinks } from "./site-links.js";

/**
 * Fails the build where a page links to a page, a heading, an image or a file that the built site does not have. VitePress itself checks only
 * whether the pages exist that Markdown links to.
 */
export function checkLinks({ outDir, logger }: SiteConfig): void {
  const { dead, external, internal } = readLinks(outDir);
  const problems = [...dead].map(
    ([link, [page, ...others]]) =>
      `${page}${others.length === 0 ? "" : ` and ${others.length} more`}: ${link}`,
  );
  if (problems.length > 0) throw new Error(`links that lead nowhere:\n${problems.join("\n")}`);
  logger.info(
    `${internal} links lead somewhere; npm run docs:links lists the ${external.size} to other sites`,
  );
}
