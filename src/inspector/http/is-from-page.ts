/** What the address of a request names. */
export type Target = "page" | "read" | "write";

/**
 * Whether a request was sent by the page itself, or by a person who opens it. Another site may link to the page, but neither read with
 * the cookies of its visitor nor change anything.
 */
export function isFromPage(request: Request, target: Target): boolean {
  // Browsers set this header where the address is trustworthy: HTTPS, or this machine. A script can't set it, and a proxy keeps it, also
  // one that changes `Host`.
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin") return true;
  if (site === "none") return target !== "write";
  if (site !== null) return target === "page" && isNavigation(request);
  const origin = request.headers.get("origin");
  return origin === null ? target !== "write" : isOriginOf(request, origin);
}

function isNavigation({ method, headers }: Request): boolean {
  const isDocument =
    headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  return isDocument && (method === "GET" || method === "HEAD");
}

/** Compares without the scheme, which a proxy may end. An origin that the browser withholds is `null`, and no address. */
function isOriginOf(request: Request, origin: string): boolean {
  // Whoever sends the request also writes `X-Forwarded-Host`.
  const host = request.headers.get("host") ?? new URL(request.url).host;
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
