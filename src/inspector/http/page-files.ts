import { gunzipSync } from "node:zlib";
import type { BuiltFile } from "../page/built-page.js";

/**
 * Returns the file of the page at a path; `undefined` where there is none. It is sent as it is: frameworks drop or change the header that
 * says how an answer is encoded. Each browser loads a file once, and what is in front of a service may compress it.
 */
export async function pageFile(basePath: string, path: string): Promise<Response | undefined> {
  const { files } = await import("#inspector-page");
  const name = path === "" || path === "/" ? "index.html" : path.slice(1);
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) return undefined;
  if (name === "index.html") return indexPage(basePath, file);
  // The names of these files have hashes.
  const cacheControl = "private, max-age=31536000, immutable";
  return new Response(contentOf(file), {
    headers: { "content-type": file.type, "cache-control": cacheControl },
  });
}

/**
 * The page refers to its files relatively, so it must know where it is, also without a slash at the end of its address. Without a base path
 * it may be anywhere: below the root, or below a path that a router or a proxy has removed.
 */
function indexPage(basePath: string, file: BuiltFile): Response {
  const html = contentOf(file).toString();
  const based = basePath === "" ? html : html.replace("<head>", `<head><base href="${basePath}/">`);
  return new Response(based, { headers: { "content-type": file.type } });
}

function contentOf({ gzip }: BuiltFile) {
  return gunzipSync(Buffer.from(gzip, "base64"));
}
