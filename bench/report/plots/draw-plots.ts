import type { GrowthPoint, GrowthResult } from "../../growth/measure-growth.js";
import { STORERS } from "../../growth/storers.js";
import { significant } from "../figures.js";
import { titleOf } from "../growth-section.js";
import type { Measured } from "../results.js";
import { type Bar, barChart } from "./bar-chart.js";
import { lineChart } from "./line-chart.js";

/** A picture beside the tables. */
export interface Plot {
  readonly file: string;
  readonly title: string;
  readonly svg: string;
}

const OURS = "#3b82f6";
const OFFICIAL = "#94a3b8";
const SLOWER = "#f97316";
const CURVES = { whole: OURS, spliced: "#22c55e", official: OFFICIAL, delta: "#a855f7" } as const;

/** Draws one plot of the ratios for each distance, one of the steps per second, and two of the growth of a thread. */
export function drawPlots(measured: Measured): Plot[] {
  const distances = [...new Set([...measured.timed, ...measured.loads].map(({ latencyMs }) => latencyMs))];
  const plots = distances.map((latencyMs) => ratioPlot(latencyMs, measured));
  const loadPlots = measured.loads.length === 0 ? [] : [loadPlot(measured)];
  return [...plots, ...loadPlots, ...measured.growth.slice(0, 1).flatMap(growthPlots)];
}

function growthPlots({ name, figures }: GrowthResult): Plot[] {
  const plot = (file: string, title: string, of: (point: GrowthPoint) => number): Plot => ({
    file,
    title: `${title}: ${titleOf(name)}`,
    svg: lineChart({
      title: `${title}: ${titleOf(name)}`,
      axis: "steps",
      curves: STORERS.map(({ id, title: label }) => ({
        label: label.replaceAll("`", ""),
        color: CURVES[id],
        points: figures[id].curve.map((point) => ({ x: point.step, y: of(point) })),
      })),
    }),
  });
  return [
    plot("growth-disk.svg", "MB on disk", ({ diskMB }) => diskMB),
    plot("growth-puts.svg", "ms of a put", ({ putMs }) => putMs),
  ];
}

function ratioPlot(latencyMs: number, { timed, loads }: Measured): Plot {
  const title = `Times as fast as the official saver, ${latencyMs} ms each way`;
  const groups = [...timed.filter(({ detail }) => !detail), ...loads]
    .filter((result) => result.latencyMs === latencyMs)
    .map(({ name, ratio }) => ({ label: name, bars: [ratioBar(ratio)] }));
  return { file: `ratios-${latencyMs}ms.svg`, title, svg: barChart({ title, scale: "log", groups }) };
}

function ratioBar(ratio: number): Bar {
  return { value: ratio, caption: `${significant(ratio)} ×`, color: ratio < 1 ? SLOWER : OURS };
}

function loadPlot({ loads }: Measured): Plot {
  const title = "Super-steps a second, medians";
  const groups = loads.map(({ threads, latencyMs, figures: { ours, official } }) => ({
    label: `${threads} thread${threads === 1 ? "" : "s"}, ${latencyMs} ms each way`,
    bars: [rateBar(ours.perSecond, OURS), rateBar(official.perSecond, OFFICIAL)],
  }));
  const legend = [
    { color: OURS, label: "this library" },
    { color: OFFICIAL, label: "official" },
  ];
  return { file: "super-steps.svg", title, svg: barChart({ title, scale: "linear", groups, legend }) };
}

function rateBar(perSecond: number, color: string): Bar {
  return { value: perSecond, caption: perSecond.toFixed(0), color };
}
