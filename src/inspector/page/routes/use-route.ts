import { useEffect, useMemo, useState } from "preact/hooks";
import { linkTo, parseRoute, type Route } from "./route.js";

/** The route of the address. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => {
      setHash(location.hash);
    };
    addEventListener("hashchange", follow);
    // It may have changed since the first rendering.
    follow();
    return () => {
      removeEventListener("hashchange", follow);
    };
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
