import { significant } from "../figures.js";
import type { Measured } from "../results.js";
import { type Bar, barChart } from "./bar-chart.js";

/** A picture beside the tables. */
export interface Plot {
  readonly file: string;
  readonly title: string;
  readonly svg: string;
}

const OURS = "#3b82f6";
const OFFICIAL = "#94a3b8";
const SLOWER = "#f97316";

/** Draws one plot of the ratios for each distance, and one of the steps per second. */
export function drawPlots(measured: Measured): Plot[] {
  const distances = [...new Set([...measured.timed, ...measured.loads].map(({ latencyMs }) => latencyMs))];
  const plots = distances.map((latencyMs) => ratioPlot(latencyMs, measured));
  return measured.loads.length === 0 ? plots : [...plots, loadPlot(measured)];
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
