import { describe, expect, it } from "@jest/globals";
import { CheckpointNews, type News } from "./checkpoint-news.js";

const UNLOGGED = { lost: () => undefined, listening: () => undefined };

function told(checkpointId: string): News {
  return { kind: "checkpoint", checkpoint: { checkpointNs: "", checkpointId }, source: "told" };
}

async function take(news: CheckpointNews, count: number): Promise<(News | undefined)[]> {
  const taken = [];
  for (let n = 0; n < count; n++) taken.push(await news.next());
  return taken;
}

describe("the news of a thread", () => {
  it("have what was missed looked for before what the server tells with its answer to LISTEN, or before", async () => {
    const news = new CheckpointNews(false, UNLOGGED);
    news.heard("0:b");
    news.listening();
    news.heard("0:c");
    expect(await take(news, 3)).toEqual([{ kind: "gap" }, told("b"), told("c")]);
  });

  it("are in that order after each loss of the connection", async () => {
    const news = new CheckpointNews({}, UNLOGGED);
    news.listening();
    news.heard("0:a");
    news.unreachable(new Error("lost"));
    news.heard("0:c");
    news.listening();
    expect(await take(news, 4)).toEqual([{ kind: "gap" }, told("a"), { kind: "gap" }, told("c")]);
  });

  it("hand out what was told since a gap before what is found in it, as far as its ids are earlier", async () => {
    const news = new CheckpointNews(false, UNLOGGED);
    news.listening();
    for (const payload of ["0:b", "0:a", "0:d", "0:c"]) news.heard(payload);
    expect(await news.next()).toEqual({ kind: "gap" });
    expect(["c", "c", "c"].map((found) => news.takeEarlierThan(found))).toEqual([
      told("b"),
      told("a"),
      undefined,
    ]);
    expect(await take(news, 2)).toEqual([told("d"), told("c")]);
    news.listening();
    expect(news.takeEarlierThan("e")).toBe(undefined);
  });
});
