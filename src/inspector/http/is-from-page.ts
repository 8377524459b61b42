import type { InspectorAccess } from "../inspector-options.js";

/**
 * Whether a request was sent by the page itself, or by a person who follows a link to it. Another site may link to the page, but not
 * read with the cookies of its visitor, and not change anything.
 */
export function isFromPage(request: Request, { action }: InspectorAccess): boolean {
  const site = request.headers.get("sec-fetch-site");
  const isNavigation = request.headers.get("sec-fetch-mode") === "navigate";
  if (site !== null && site !== "same-origin" && site !== "none" && !(isNavigation && action === "read")) {
    return false;
  }
  const origin = request.headers.get("origin");
  if (origin === null) return action === "read" || site === "same-origin";
  const host = request.headers.get("host") ?? new URL(request.url).host;
  return URL.canParse(origin) && new URL(origin).host === host;
}
