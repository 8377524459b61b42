import { describe, expect, it } from "@jest/globals";
import { barChart } from "../../bench/report/plots/bar-chart.js";

function widths(scale: "log" | "linear", values: readonly number[]): number[] {
  const groups = values.map((value) => ({
    label: "a < b",
    bars: [{ value, caption: String(value), color: "#123456" }],
  }));
  const drawn = barChart({ title: "ratios", scale, groups });
  return [...drawn.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
}

describe("a chart of bars", () => {
  it("draws values on a linear axis as long as they are", () => {
    expect(widths("linear", [100, 50, 25])).toEqual([400, 200, 100]);
  });

  it("draws each power of ten as far as the last on a logarithmic axis, and to the left what is below 1", () => {
    expect(widths("log", [1_000, 10, 1])).toEqual([400, 133.3, 1]);
    expect(widths("log", [0.1, 10])).toEqual([200, 200]);
  });

  it("is well-formed whatever the labels say", () => {
    const drawn = barChart({
      title: `"a" & b`,
      scale: "log",
      groups: [{ label: "a < b", bars: [{ value: 2, caption: "2 ×", color: "#123456" }] }],
    });
    expect(drawn).toContain("a &lt; b");
    expect(drawn).toContain("<title>&quot;a&quot; &amp; b</title>");
  });
});
