import { describe, expect, it } from "@jest/globals";
import type { HistoryPage, HistoryPoint } from "../../../api/threads.js";
import { type LoadedHistory, withNewestPage, withPoint } from "./merge-history.js";

function pointOf(checkpointId: string, writes = 0): HistoryPoint {
  return { checkpointId, createdAt: 0, writes, interrupted: false, failed: false };
}

function pageWith(ids: string, hasMore: boolean): HistoryPage {
  return { points: Array.from(ids, (id) => pointOf(id)), hasMore };
}

function idsOf({ pages }: LoadedHistory): string {
  return pages.flatMap(({ points }) => points.map(({ checkpointId }) => checkpointId)).join("");
}

const loaded: LoadedHistory = {
  pages: [pageWith("fed", true), pageWith("cba", false)],
  pageParams: [undefined, "d"],
};

describe("a newest page that was read again", () => {
  it("adds new checkpoints and leaves out deleted ones", () => {
    expect(idsOf(withNewestPage(loaded, pageWith("hgfd", true)))).toBe("hgfdcba");
  });

  it("shows pending writes that came later", () => {
    const newest = { points: [pointOf("f", 2), pointOf("e")], hasMore: true };
    const merged = withNewestPage(loaded, newest);
    expect(idsOf(merged)).toBe("fedcba");
    expect(merged.pages[0]?.points[0]?.writes).toBe(2);
  });

  it("changes nothing where nothing has changed, so that nothing is drawn again", () => {
    expect(withNewestPage(loaded, pageWith("fe", true))).toBe(loaded);
  });

  it("replaces everything if it does not reach what is loaded, or is the whole history", () => {
    expect(withNewestPage(loaded, pageWith("zyx", true))).toEqual({
      pages: [pageWith("zyx", true)],
      pageParams: [undefined],
    });
    expect(idsOf(withNewestPage(loaded, pageWith("g", false)))).toBe("g");
    expect(idsOf(withNewestPage(loaded, pageWith("", false)))).toBe("");
  });
});

describe("a checkpoint that was stored just now", () => {
  it("comes first, or where its id belongs", () => {
    expect(idsOf(withPoint(loaded, pointOf("g")))).toBe("gfedcba");
    expect(idsOf(withPoint(withNewestPage(loaded, pageWith("hfd", true)), pointOf("g")))).toBe("hgfdcba");
  });

  it("is listed once, and changes nothing if it is known", () => {
    expect(withPoint(loaded, pointOf("e"))).toBe(loaded);
    expect(idsOf(withPoint(loaded, pointOf("e", 1)))).toBe("fedcba");
  });
});
