import { describe, expect, it } from "@jest/globals";
import type { ListedThreads } from "../../../api/threads.js";
import { type LoadedPages, pageOf, loadedThreads, withFresh } from "./loaded-pages.js";

function pageWith(ids: string, next?: string): ListedThreads {
  return {
    threads: Array.from(ids, (threadId) => ({
      ...{ threadId, namespace: "", checkpointId: threadId, updatedAt: 0 },
      ...{ checkpoints: 1, namespaces: 1, status: "done", next: [], metadata: {} },
    })),
    ...(next !== undefined && { next }),
  };
}

function idsOf(loaded: LoadedPages): string {
  return loadedThreads(loaded)
    .map(({ threadId }) => threadId)
    .join("");
}

const loaded: LoadedPages = {
  pages: [pageWith("ab", "b"), pageWith("cd", "d"), pageWith("ef")],
  pageParams: [undefined, "b", "d"],
};

describe("pages of threads", () => {
  it("keep the pages behind a page that was read again, if it ends where it ended", () => {
    const fresh = withFresh(loaded, 1, { pages: [pageWith("d", "d")], pageParams: ["b"] });
    expect(idsOf(fresh)).toBe("abdef");
    expect(fresh.pageParams).toEqual([undefined, "b", "d"]);
  });

  it("leave out the pages behind one that now ends elsewhere, until they are read again", () => {
    const fresh = withFresh(loaded, 0, { pages: [pageWith("xa", "a")], pageParams: [undefined] });
    expect(idsOf(fresh)).toBe("xa");
    expect(fresh.pages.at(-1)?.next).toBe("a");
  });

  it("list a thread once that has moved to an earlier page", () => {
    expect(idsOf({ ...loaded, pages: [pageWith("eab", "b"), ...loaded.pages.slice(1)] })).toBe("eabcdf");
  });

  it("know the page of a thread", () => {
    expect([pageOf(loaded, "c"), pageOf(loaded, "unknown"), pageOf(loaded, undefined)]).toEqual([1, 2, 2]);
  });
});
