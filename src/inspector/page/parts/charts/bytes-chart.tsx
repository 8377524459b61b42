import { useMemo } from "preact/hooks";
import { Bars, BarsLegend } from "./bars.js";
import { partSeries, PART_NAMES, type PartBytes } from "./part-bytes.js";

interface BytesChartProps {
  readonly parts: readonly PartBytes[];
  /** `rows`: a bar for each row of a list beside the chart. `columns`: over time. */
  readonly direction: "rows" | "columns";
  /** The height, in pixels. */
  readonly height: number;
  /** Called with the position of the part whose bar was clicked. */
  readonly onChoose?: (index: number) => void;
}

/** Draws bytes as stacked bars. */
export function BytesChart({ parts, direction, height, onChoose }: BytesChartProps) {
  const series = useMemo(() => partSeries(parts), [parts]);
  return <Bars {...{ series, direction, height, onChoose }} />;
}

/** Says what the colours of the bars stand for. */
export function BytesLegend() {
  return <BarsLegend kinds={PART_NAMES.map(([name, title]) => [`bytes-${name}`, title] as const)} />;
}
