import { BarChart, type BarChartOptions } from "chartist";
import { useEffect, useRef } from "preact/hooks";
import "./charts.css";

/** A kind of amounts, of which each bar has one. */
interface BarSeries {
  /** The class that has the colour, `--kind`. */
  readonly className: string;
  readonly data: readonly number[];
}

interface BarsProps {
  /** They are stacked, and have equally many amounts. */
  readonly series: readonly BarSeries[];
  /** `rows`: a bar for each row of a list beside the chart. `columns`: over time. */
  readonly direction: "rows" | "columns";
  /** The height, in pixels. */
  readonly height: number;
  /** Called with the position of the bar that was clicked. */
  readonly onChoose?: ((index: number) => void) | undefined;
}

// No labels, whose inline styles the content security policy refuses: the list or the caption beside the chart has them.
const BARE = { showLabel: false, showGrid: false, offset: 0 };
const PADDING = { top: 0, right: 0, bottom: 0, left: 0 };

/** Draws stacked bars. The figures are in a table beside it, so that screen readers leave the chart out. */
export function Bars({ series, direction, height, onChoose }: BarsProps) {
  const place = useRef<HTMLDivElement>(null);
  const count = series[0]?.data.length ?? 0;
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const isRows = direction === "rows";
    const options: BarChartOptions = {
      ...{ stackBars: true, horizontalBars: isRows },
      ...{ axisX: BARE, axisY: BARE, chartPadding: PADDING, low: 0, high: largest(series) },
      ...{ height: `${height}px`, width: "100%" },
    };
    // Rows are drawn from the bottom up. `reverseData` of Chartist would also reverse the kinds, and with them their colours.
    const drawn = series.map(({ className, data }) => ({
      className,
      data: isRows ? data.toReversed() : [...data],
    }));
    const chart = new BarChart(current, { series: drawn }, options);
    return () => {
      chart.detach();
    };
  }, [series, direction, height]);
  return (
    <div
      class={`bars bars-${direction}`}
      aria-hidden="true"
      ref={place}
      style={{ height: `${height}px`, "--bars": count }}
      onClick={({ currentTarget, clientX, clientY }) => {
        const { left, top, width, height: drawn } = currentTarget.getBoundingClientRect();
        const share = direction === "rows" ? (clientY - top) / drawn : (clientX - left) / width;
        onChoose?.(Math.min(count - 1, Math.max(0, Math.floor(share * count))));
      }}
    />
  );
}

function largest(series: readonly BarSeries[]): number {
  const [first] = series;
  const sums =
    first?.data.map((_, index) => series.reduce((sum, { data }) => sum + (data[index] ?? 0), 0)) ?? [];
  return sums.reduce((most, sum) => Math.max(most, sum), 1);
}

/** Says what the colours of the bars stand for. */
export function BarsLegend({
  kinds,
}: {
  readonly kinds: readonly (readonly [className: string, title: string])[];
}) {
  return (
    <p class="bars-legend dim">
      {kinds.map(([name, title]) => (
        <span key={name}>
          <i class={`bars-key ${name}`} aria-hidden="true" /> {title}
        </span>
      ))}
    </p>
  );
}
