import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { pageText, rowsOf } from "./samples.js";

const PAGE = pageText("is-it-for-me.md");
const RESULTS = readFileSync(new URL("../../bench/results/latest.md", import.meta.url), "utf8");

const section = (text: string, from: RegExp): string => text.slice(text.search(from)).replace(/^## .*\n/, "");
const until = (text: string): string => text.split(/^## /m, 1)[0] ?? "";

/** The tables of the benchmark that have the times with so many milliseconds of network each way. */
function timesAt(latency: string): string[][] {
  const title = latency === "0" ? /^## Times on one/m : /^## Times with 1 ms/m;
  const [first = "", second = ""] = section(RESULTS, title).split(/^## /m, 2);
  return rowsOf(first + second);
}

describe("the figures of docs/is-it-for-me.md", () => {
  const figures = until(section(PAGE, /^## Figures$/m));

  it("are those of the newest run of the benchmark, of its day", () => {
    const [, day = ""] = /finished at (\d{4}-\d\d-\d\d)T/.exec(RESULTS) ?? [];
    expect(figures).toContain(`\`npm run bench\` of ${day}`);
    const times = rowsOf(figures).filter(([, latency = ""]) => /^[01]$/.test(latency));
    expect(times.length).toBeGreaterThan(5);
    for (const [name = "", latency = "", ours = "", official = ""] of times) {
      const measured = timesAt(latency).find(([operation]) => operation === name) ?? [];
      const medians = [measured[1], measured[3]].map((cell) => cell?.split(" ", 1)[0]);
      expect([name, ...medians]).toEqual([name, ours, official]);
    }
  });

  it("are those of its load, its memory and its disk", () => {
    const measured = rowsOf(RESULTS);
    const amounts = rowsOf(figures).filter(([name = ""]) => /^(?:memory|on disk): /.test(name));
    expect(amounts.length).toBeGreaterThan(2);
    for (const row of amounts) expect(measured).toContainEqual(row);
    const load = measured.find(([threads, pool, ms]) => `${threads}, ${pool}, ${ms}` === "64, 10, 0");
    const [ours, official] = [load?.[3], load?.[5]].map((cell) => cell?.split(" ", 1)[0]);
    expect(rowsOf(figures)).toContainEqual([
      "super-steps a second, 64 threads, pool of 10, 0 ms",
      ours,
      official,
    ]);
    const [, whole, spliced, ofOfficial] = measured.find(([name]) => name === "on disk, MB") ?? [];
    expect(figures.replaceAll(/\s+/g, " ")).toContain(
      `took ${whole} MB of disk, ${ofOfficial} MB with the official saver, and ${spliced} MB with`,
    );
  });
});
