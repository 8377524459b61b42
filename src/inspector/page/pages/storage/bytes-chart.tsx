import { BarChart, type BarChartOptions } from "chartist";
import { useEffect, useRef } from "preact/hooks";
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

// No labels, whose inline styles the content security policy refuses: the list or the caption beside the chart has them.
const BARE = { showLabel: false, showGrid: false, offset: 0 };
const PADDING = { top: 0, right: 0, bottom: 0, left: 0 };

/** Draws bytes as stacked bars. The figures are in a table beside it, so that screen readers leave the chart out. */
export function BytesChart({ parts, direction, height, onChoose }: BytesChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const isRows = direction === "rows";
    const options: BarChartOptions = {
      ...{ stackBars: true, horizontalBars: isRows },
      ...{ axisX: BARE, axisY: BARE, chartPadding: PADDING, low: 0, high: largest(parts) },
      ...{ height: `${height}px`, width: "100%" },
    };
    // Rows are drawn from the bottom up. `reverseData` of Chartist would also reverse the kinds, and with them their colours.
    const series = partSeries(isRows ? [...parts].reverse() : parts);
    const chart = new BarChart(current, { series }, options);
    return () => {
      chart.detach();
    };
  }, [parts, direction, height]);
  return (
    <div
      class={`bytes-chart bytes-chart-${direction}`}
      aria-hidden="true"
      ref={place}
      style={{ height: `${height}px`, "--bars": parts.length }}
      onClick={({ currentTarget, clientX, clientY }) => {
        const { left, top, width, height: drawn } = currentTarget.getBoundingClientRect();
        const share = direction === "rows" ? (clientY - top) / drawn : (clientX - left) / width;
        onChoose?.(Math.min(parts.length - 1, Math.max(0, Math.floor(share * parts.length))));
      }}
    />
  );
}

function largest(parts: readonly PartBytes[]): number {
  const sums = parts.map(({ headerBytes, valueBytes, writeBytes }) => headerBytes + valueBytes + writeBytes);
  return sums.reduce((most, sum) => Math.max(most, sum), 1);
}

/** Says what the colours of the bars stand for. */
export function BytesLegend() {
  return (
    <p class="bytes-legend dim">
      {PART_NAMES.map(([name, title]) => (
        <span key={name}>
          <i class={`bytes-key bytes-${name}`} aria-hidden="true" /> {title}
        </span>
      ))}
    </p>
  );
}
