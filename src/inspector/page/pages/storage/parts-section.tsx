import type { ComponentChildren } from "preact";
import type { MeasuredPart } from "../../../api/storage-views.js";
import { formatBytes } from "../../parts/number-texts.js";
import { BytesChart, BytesLegend } from "../../parts/charts/bytes-chart.js";
import { Bytes, Figures } from "../../parts/charts/figures.js";
import { bytesOf, PART_NAMES } from "../../parts/charts/part-bytes.js";

interface PartsSectionProps {
  readonly title: string;
  /** What a part is, as the table calls it. */
  readonly noun: string;
  readonly parts: readonly MeasuredPart[];
  /** Shows the name of a part, as a link where there is one. */
  readonly nameOf: (name: string) => ComponentChildren;
  readonly onChoose?: (name: string) => void;
}

/** The height of a bar with its name, in pixels, as storage.css has it. */
const ROW_HEIGHT = 28;

/** Charts the largest threads or channels, with a table of the same figures. */
export function PartsSection({ title, noun, parts, nameOf, onChoose }: PartsSectionProps) {
  if (parts.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <BytesLegend />
      <div class="bytes-bars">
        <ol class="bytes-names">
          {parts.map((part) => (
            <li key={part.name}>
              <span class="bytes-name">{nameOf(part.name)}</span>
              <span class="dim">{formatBytes(bytesOf(part))}</span>
            </li>
          ))}
        </ol>
        <BytesChart
          {...{ parts, direction: "rows", height: parts.length * ROW_HEIGHT }}
          onChoose={(index) => {
            const part = parts[index];
            if (part !== undefined) onChoose?.(part.name);
          }}
        />
      </div>
      <details>
        <summary>Figures</summary>
        <Figures caption={title} columns={[noun, ...PART_NAMES.map(([, name]) => name), "In all"]}>
          {parts.map((part) => (
            <tr key={part.name}>
              <th scope="row">
                <bdi>{part.name}</bdi>
              </th>
              {PART_NAMES.map(([name]) => (
                <td key={name}>
                  <Bytes bytes={part[name]} />
                </td>
              ))}
              <td>
                <Bytes bytes={bytesOf(part)} />
              </td>
            </tr>
          ))}
        </Figures>
      </details>
    </section>
  );
}
