import type { ComponentChildren } from "preact";
import { ColumnHeads } from "../column-heads.js";
import { formatBytes, formatCount } from "../number-texts.js";
import "./charts.css";

interface FiguresProps {
  /** What the table is about, which a screen reader says. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}

/** A table whose columns are figures, except the first one. It scrolls on a narrow screen. */
export function Figures({ caption, columns, children }: FiguresProps) {
  return (
    // With a name and a place in the order of Tab, so that the keyboard can scroll it.
    <div class="figures" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <ColumnHeads titles={columns} />
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A size, with the exact number of bytes as title. */
export function Bytes({ bytes }: { readonly bytes: number }) {
  return <span title={`${formatCount(bytes)} bytes`}>{formatBytes(bytes)}</span>;
}
