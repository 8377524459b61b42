import { gunzipSync } from "node:zlib";
import type { BuiltFile } from "../page/built-page.js";

/** The files that have been unpacked. All of them together have 260 kB. */
const unpacked = new WeakMap<BuiltFile, Buffer<ArrayBuffer>>();
/** The packed content by the body that is sent instead. */
const packed = new WeakMap<ReadableStream, Buffer<ArrayBuffer>>();

/**
 * Returns the file of the page at a path; `undefined` where there is none. It is sent unpacked, since Next.js drops the header that says how
 * an answer is encoded. {@link packPageFile} packs it where nobody can drop that.
 */
export async function pageFile(basePath: string, path: string): Promise<Response | undefined> {
  const { files } = await import("#inspector-page");
  const name = path === "" || path === "/" ? "index.html" : path.slice(1);
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) return undefined;
  if (name === "index.html") return indexPage(basePath, file);
  // The names of these files have hashes.
  const cacheControl = "private, max-age=31536000, immutable";
  const response = new Response(contentOf(file), {
    headers: { "content-type": file.type, "cache-control": cacheControl },
  });
  if (response.body !== null) packed.set(response.body, bytesOf(file));
  return response;
}

/** Packs an answer that is still a file of the page, for a browser that takes it. The caller sends the answer itself. */
export function packPageFile(request: Request, response: Response): Response {
  const content = response.body === null ? undefined : packed.get(response.body);
  if (content === undefined) return response;
  const headers = new Headers(response.headers);
  headers.append("vary", "accept-encoding");
  const { status, body } = response;
  if (!acceptsGzip(request)) return new Response(body, { status, headers });
  headers.set("content-encoding", "gzip");
  headers.set("content-length", String(content.byteLength));
  return new Response(content, { status, headers });
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

function contentOf(file: BuiltFile): Buffer<ArrayBuffer> {
  const known = unpacked.get(file);
  if (known !== undefined) return known;
  const content = gunzipSync(bytesOf(file));
  unpacked.set(file, content);
  return content;
}

function bytesOf({ gzip }: BuiltFile): Buffer<ArrayBuffer> {
  return Buffer.from(gzip, "base64");
}

function acceptsGzip({ headers }: Request): boolean {
  const codings = (headers.get("accept-encoding") ?? "").split(",");
  return codings.some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding));
}
