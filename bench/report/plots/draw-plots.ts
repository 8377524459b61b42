import type { GrowthPoint, GrowthResult } from "../../growth/measure-growth.js";
import { STORERS } from "../../growth/storers.js";
import type { LoadFigures } from "../../measure/load-tally.js";
import { LOADED_SAVERS, type LoadResult } from "../../measure/run-load.js";
import { DEFAULT_CONNECTIONS } from "../../open-pool.js";
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
const LOADED_COLORS = { ours: OURS, ungrouped: "#22c55e", official: OFFICIAL } as const;
const CURVES = { whole: OURS, spliced: "#22c55e", official: OFFICIAL, delta: "#a855f7" } as const;

/** Draws one plot of the ratios for each distance, two of the concurrent threads for each distance, and two of the growth of a thread. */
export function drawPlots(measured: Measured): Plot[] {
  const distances = [...new Set([...measured.timed, ...measured.loads].map(({ latencyMs }) => latencyMs))];
  const plots = distances.map((latencyMs) => ratioPlot(latencyMs, measured));
  const loaded = [...new Set(measured.loads.map(({ latencyMs }) => latencyMs))];
  const ofLoads = loaded.flatMap((latencyMs) => loadPlots(measured.loads, latencyMs));
  return [...plots, ...ofLoads, ...measured.growth.slice(0, 1).flatMap(growthPlots)];
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

/** One plot of the rate and one of the time of a step, over the number of threads. */
function loadPlots(loads: readonly LoadResult[], latencyMs: number): Plot[] {
  const shown = loads.filter(
    (load) => load.latencyMs === latencyMs && load.connections === DEFAULT_CONNECTIONS,
  );
  const plot = (file: string, title: string, of: (figures: LoadFigures) => number): Plot => ({
    file: `${file}-${latencyMs}ms.svg`,
    title: `${title}, ${latencyMs} ms each way`,
    svg: lineChart({
      title: `${title}, ${latencyMs} ms each way`,
      axis: "threads at once",
      curves: (["ours", "ungrouped", "official"] as const).map((id) => ({
        label: LOADED_SAVERS[id].replaceAll("`", ""),
        color: LOADED_COLORS[id],
        points: shown.map(({ threads, figures }) => ({ x: threads, y: of(figures[id]) })),
      })),
    }),
  });
  return [
    plot("super-steps", "Super-steps a second, medians", ({ perSecond }) => perSecond),
    plot("super-steps-p99", "ms of a super-step, p99", ({ p99Ms }) => p99Ms),
  ];
}
