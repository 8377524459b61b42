import { significant } from "../figures.js";
import { escapeXml, line, polyline, rect, svg, text } from "./svg.js";

/** A curve through points, in the order of x. */
export interface Curve {
  readonly label: string;
  readonly color: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** Curves over one axis, with a linear scale that starts at 0. */
export interface LineChart {
  readonly title: string;
  /** The meaning of x, below the axis. */
  readonly axis: string;
  readonly curves: readonly Curve[];
}

const LEFT = 60;
const TOP = 64;
const WIDTH = 620;
const HEIGHT = 260;
const LEGEND_STEP = 150;
const TICKS = 4;

/** Draws curves as SVG that is readable on a light and on a dark background. */
export function lineChart({ title, axis, curves }: LineChart): string {
  const points = curves.flatMap((curve) => curve.points);
  const mostX = Math.max(...points.map(({ x }) => x));
  const mostY = Math.max(...points.map(({ y }) => y));
  const placeX = (x: number) => LEFT + (x / mostX) * WIDTH;
  const placeY = (y: number) => TOP + HEIGHT - (y / mostY) * HEIGHT;
  const ticks = Array.from({ length: TICKS + 1 }, (_, index) => index / TICKS).flatMap((share) => [
    line(LEFT, placeY(share * mostY), LEFT + WIDTH, placeY(share * mostY)),
    text(LEFT - 6, placeY(share * mostY) + 4, significant(share * mostY), "end"),
    text(placeX(share * mostX), TOP + HEIGHT + 18, String(Math.round(share * mostX)), "middle"),
  ]);
  const drawn = curves.map(({ color, points: own }) =>
    polyline(
      own.map(({ x, y }) => [placeX(x), placeY(y)]),
      color,
    ),
  );
  const legend = curves.flatMap(({ color, label }, index) => [
    rect(LEFT + index * LEGEND_STEP, 34, 12, 12, color),
    text(LEFT + index * LEGEND_STEP + 18, 44, label, "start"),
  ]);
  const caption = text(LEFT + WIDTH / 2, TOP + HEIGHT + 38, axis, "middle");
  const head = text(10, 22, title, "start", "bold");
  return svg(LEFT + WIDTH + 30, TOP + HEIGHT + 50, escapeXml(title), [
    head,
    ...legend,
    ...ticks,
    ...drawn,
    caption,
  ]);
}
