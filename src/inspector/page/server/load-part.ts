import { queryOptions } from "@tanstack/preact-query";
import { checkSession } from "./call-server.js";
import { OutdatedPageError } from "./errors.js";

/** A query that loads a part of the page, once. Where that fails, its error says why. */
export function partQuery<Part>(name: string, load: () => Promise<Part>) {
  return queryOptions({
    queryKey: ["part", name],
    queryFn: () => loadPart(load),
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
  });
}

let hasFailed = false;

async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  const part = await load().catch(async () => {
    hasFailed = true;
    // A browser doesn't say what it got instead of a script, but the answer to a call does.
    await checkSession();
    return load().catch(() => {
      throw new OutdatedPageError();
    });
  });
  if (hasFailed) renewStyles();
  hasFailed = false;
  return part;
}

/** Loads the style sheets again: one that was a page for signing in counts as loaded. The earlier ones stay until then. */
function renewStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")) {
    const renewed = document.createElement("link");
    Object.assign(renewed, { rel: "stylesheet", crossOrigin: link.crossOrigin, href: link.href });
    renewed.addEventListener("load", () => {
      link.remove();
    });
    link.after(renewed);
  }
}
