import { listen } from "../parts/effects.js";
import type { CheckpointPlace, NamespacePlace } from "../../api/places.js";
import { useEffect, useMemo, useState } from "preact/hooks";

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

/** The route of the address. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => {
      setHash(location.hash);
    };
    // It may have changed since the first rendering.
    follow();
    return listen(window, ["hashchange"], follow);
  }, []);
  return useMemo(() => parseRoute(hash), [hash]);
}

/** Reads the route of the address now, which may be newer than the rendered one: for a change that keeps the rest of the route. */
export function currentRoute(): Route {
  return parseRoute(location.hash);
}

/** Goes to a link. */
export function navigate(link: string): void {
  location.hash = link;
}

/**
 * Goes to a link that replaces the current one, so that back skips it: for parameters that change while a person types. Nothing happens where
 * the person has gone to another page: what changes the parameters may have waited, and the old page is there for a moment longer.
 */
export function replaceRoute(link: string): void {
  if (pageIn(link) === pageIn(location.hash)) location.replace(link);
}

function pageIn(hash: string): string {
  const { page, subjects } = parseRoute(hash);
  return linkTo(page, subjects);
}
