import { gunzipSync } from "node:zlib";
import type { BuiltFile } from "../page/built-page.js";

/** Returns the file of the page at a path; `undefined` where there is none. */
export async function pageFile(
  basePath: string,
  path: string,
  request: Request,
): Promise<Response | undefined> {
  const { files } = await import("#inspector-page");
  const name = path === "" || path === "/" ? "index.html" : path.slice(1);
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) return undefined;
  if (name === "index.html") return indexPage(basePath, file);
  // The names of these files have hashes.
  const cacheControl = "private, max-age=31536000, immutable";
  const headers = { "content-type": file.type, "cache-control": cacheControl, vary: "accept-encoding" };
  const zipped = Buffer.from(file.gzip, "base64");
  return acceptsGzip(request)
    ? new Response(zipped, { headers: { ...headers, "content-encoding": "gzip" } })
    : new Response(gunzipSync(zipped), { headers });
}

function acceptsGzip({ headers }: Request): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(headers.get("accept-encoding") ?? "");
}

/**
 * The page refers to its files relatively, so it must know where it is, also without a slash at the end of its address. Without a base path
 * it may be anywhere: below the root, or below a path that a router or a proxy has removed.
 */
function indexPage(basePath: string, { gzip, type }: BuiltFile): Response {
  const html = gunzipSync(Buffer.from(gzip, "base64")).toString();
  const based = basePath === "" ? html : html.replace("<head>", `<head><base href="${basePath}/">`);
  return new Response(based, { headers: { "content-type": type } });
}
