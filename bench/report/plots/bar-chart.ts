import { escapeXml, line, rect, svg, text } from "./svg.js";

/** A bar with the text at its end. */
export interface Bar {
  readonly value: number;
  readonly caption: string;
  readonly color: string;
}

/** The bars of one label. */
export interface BarGroup {
  readonly label: string;
  readonly bars: readonly Bar[];
}

/** Horizontal bars on an axis that starts at 0, or on one of powers of ten, where bars start at 1. */
export interface BarChart {
  readonly title: string;
  readonly scale: "linear" | "log";
  readonly groups: readonly BarGroup[];
  /** The meaning of the colors, where there are several. */
  readonly legend?: readonly { readonly color: string; readonly label: string }[];
}

const LABELS = 340;
const PLOT = 400;
const CAPTIONS = 150;
const TOP = 64;
const BAR = 14;
const GAP = 8;

/** Draws bars as SVG that is readable on a light and on a dark background. */
export function barChart(chart: BarChart): string {
  const place = placer(chart);
  const start = chart.scale === "log" ? place(1) : LABELS;
  const rows: string[] = [];
  let y = TOP;
  for (const { label, bars } of chart.groups) {
    const middle = y + (bars.length * BAR) / 2 + 4;
    rows.push(text(LABELS - 10, middle, label, "end"));
    for (const bar of bars) {
      rows.push(...drawBar(bar, y, start, place(bar.value)));
      y += BAR;
    }
    y += GAP;
  }
  const axis = chart.scale === "log" ? ticks(chart).flatMap((tick) => drawTick(tick, y, place(tick))) : [];
  const head = [text(10, 22, chart.title, "start", "bold"), ...drawLegend(chart.legend ?? [])];
  return svg(LABELS + PLOT + CAPTIONS, y + GAP, escapeXml(chart.title), [...head, ...axis, ...rows]);
}

type Place = (value: number) => number;

/** Returns the position of a value. */
function placer({ scale, groups }: BarChart): Place {
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value));
  const most = Math.max(...values);
  if (scale === "linear") return (value) => LABELS + (value / most) * PLOT;
  const low = Math.log10(Math.min(1, ...values));
  const high = Math.log10(Math.max(10, most));
  return (value) => LABELS + ((Math.log10(value) - low) / (high - low)) * PLOT;
}

function drawBar({ caption, color }: Bar, y: number, start: number, end: number): string[] {
  const [left, right] = [Math.min(start, end), Math.max(start, end)];
  return [
    rect(left, y + 1, Math.max(1, right - left), BAR - 2, color),
    text(right + 6, y + BAR - 3, caption, "start"),
  ];
}

function ticks({ groups }: BarChart): number[] {
  const most = Math.max(10, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  return Array.from({ length: Math.floor(Math.log10(most)) + 1 }, (_, power) => 10 ** power);
}

function drawTick(tick: number, bottom: number, x: number): string[] {
  return [line(x, TOP - 6, x, bottom), text(x, TOP - 12, `${tick} ×`, "middle")];
}

function drawLegend(legend: NonNullable<BarChart["legend"]>): string[] {
  return legend.flatMap(({ color, label }, index) => [
    rect(LABELS + index * 150, 34, 12, 12, color),
    text(LABELS + index * 150 + 18, 44, label, "start"),
  ]);
}
