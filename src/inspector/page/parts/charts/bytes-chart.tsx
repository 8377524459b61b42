import { useMemo } from "preact/hooks";
import { Bars, BarsLegend } from "./bars.js";
import { Bytes } from "./figures.js";

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

/** What a part of the storage consists of. */
export interface PartBytes {
  readonly headerBytes: number;
  readonly valueBytes: number;
  readonly writeBytes: number;
}

/** The kinds of bytes, in the order of their bars. */
const PART_NAMES = [
  ["valueBytes", "Values"],
  ["headerBytes", "Headers and metadata"],
  ["writeBytes", "Pending writes"],
] as const satisfies readonly (readonly [keyof PartBytes, string])[];

/** Returns the bytes of each kind, with the class that has its colour. */
function partSeries(parts: readonly PartBytes[]) {
  return PART_NAMES.map(([name]) => ({ className: `bytes-${name}`, data: parts.map((part) => part[name]) }));
}

/** The columns of a table with {@link PartCells}. */
export const PART_COLUMNS = [...PART_NAMES.map(([, name]) => name), "In all"];

/** The bytes of each kind, and all of them, as cells of a table. */
export function PartCells({ part }: { readonly part: PartBytes }) {
  return (
    <>
      {[...PART_NAMES.map(([name]) => part[name]), allBytesOf(part)].map((bytes, index) => (
        <td key={index}>
          <Bytes bytes={bytes} />
        </td>
      ))}
    </>
  );
}

/** Returns all bytes of a part. */
export function allBytesOf({ headerBytes, valueBytes, writeBytes }: PartBytes): number {
  return headerBytes + valueBytes + writeBytes;
}
