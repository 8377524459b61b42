import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Parser } from "htmlparser2";

/** The links of a built site, and where they should lead. */
export interface SiteLinks {
  /** Each link that leads nowhere, with the pages that have it. */
  readonly dead: ReadonlyMap<string, readonly string[]>;
  /** The addresses of other sites, with the pages that have them. */
  readonly external: ReadonlyMap<string, readonly string[]>;
  /** How many links lead to a page, a heading or a file of the site. */
  readonly internal: number;
}

interface Page {
  readonly anchors: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
}

/** Stands for the host of the site. */
const ORIGIN = "https://site.invalid";

/** Reads all pages of a built site, and follows the links, images, scripts and downloads of each. */
export function readLinks(outDir: string): SiteLinks {
  const files = new Set(
    readdirSync(outDir, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/")),
  );
  const pages = new Map(
    [...files]
      .filter((file) => file.endsWith(".html"))
      .map((file) => [file, readPage(readFileSync(join(outDir, file), "utf8"))]),
  );
  const dead = new Map<string, string[]>();
  const external = new Map<string, string[]>();
  let internal = 0;
  for (const [file, { links }] of pages) {
    const address = `${ORIGIN}/${file.replace(/\.html$/, "")}`;
    for (const link of links) {
      const url = URL.canParse(link, address) ? new URL(link, address) : null;
      if (url !== null && url.origin !== ORIGIN) {
        if (url.protocol.startsWith("http")) add(external, url.href, file);
      } else if (url !== null && leadsSomewhere(url)) internal++;
      else add(dead, link, file);
    }
  }
  return { dead, external, internal };

  function leadsSomewhere({ pathname, hash }: URL): boolean {
    const path = decodeURIComponent(pathname).slice(1);
    const file = [`${path}index.html`, `${path}.html`, path].find((name) => files.has(name));
    if (file === undefined) return false;
    const anchors = pages.get(file)?.anchors;
    return hash === "" || anchors === undefined || anchors.has(decodeURIComponent(hash.slice(1)));
  }
}

function add(map: Map<string, string[]>, link: string, page: string): void {
  const pages = map.get(link);
  if (pages === undefined) map.set(link, [page]);
  else pages.push(page);
}

function readPage(html: string): Page {
  const anchors = new Set<string>();
  const links = new Set<string>();
  const parser = new Parser({
    onopentag: (_tag, { id, href, src, poster, srcset }) => {
      if (id !== undefined) anchors.add(id);
      for (const link of [href, src, poster, ...addressesIn(srcset)]) if (link !== undefined) links.add(link);
    },
  });
  parser.end(html);
  return { anchors, links };
}

/** The addresses of a `srcset`: `small.png 1x, large.png 2x`. */
function addressesIn(srcset = ""): string[] {
  return srcset.split(",").flatMap((candidate) => candidate.trim().split(" ", 1).filter(Boolean));
}
