import type { CheckpointPlace, NamespacePlace } from "../../api/places.js";

/** A place in the inspector: the page, what it shows, and how. */
export interface Route {
  readonly page: string;
  /** What the page shows, such as the id of a thread. */
  readonly subjects: readonly string[];
  readonly params: URLSearchParams;
}

// The route is in the fragment of the address, so that neither servers nor logs see the ids of threads, and proxies need not pass on ids
// with slashes. wouter and preact-iso would put the parameters into the query.
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [page = "", ...subjects] = path.split("/").map(decode);
  return { page: page === "" ? "threads" : page, subjects, params: new URLSearchParams(query) };
}

/** The parameters of a route. Empty ones are left out. */
export type RouteParams = Readonly<Record<string, string | undefined>>;

/** Returns the link to a page. */
export function linkTo(page: string, subjects: readonly string[] = [], params: RouteParams = {}): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => (entry[1] ?? "") !== "");
  const query = new URLSearchParams(given).toString();
  const path = [page, ...subjects].map(encodeURIComponent).join("/");
  return `#/${path}${query === "" ? "" : `?${query}`}`;
}

/** Returns the link to a namespace of a thread. */
export function linkToThread({ threadId, namespace }: NamespacePlace, params: RouteParams = {}): string {
  return linkTo("thread", [threadId], { ns: namespace, ...params });
}

/** Returns the link to a checkpoint. */
export function linkToCheckpoint(
  { threadId, namespace, checkpointId }: CheckpointPlace,
  params: RouteParams = {},
): string {
  return linkTo("checkpoint", [threadId, checkpointId], { ns: namespace, ...params });
}

// A person may have changed the address by hand.
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
