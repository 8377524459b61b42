import type { MeasuredStorage, MeasuredPart } from "../../../api/storage-views.js";
import { countText, formatBytes } from "../../parts/number-texts.js";
import { linkTo, linkToThread, navigate } from "../../routes/route.js";
import {
  allBytesOf,
  BytesChart,
  BytesLegend,
  PART_COLUMNS,
  PartCells,
} from "../../parts/charts/bytes-chart.js";
import type { ComponentChildren } from "preact";
import { Figures } from "../../parts/charts/figures.js";

interface MeasuredSectionProps {
  readonly measured: MeasuredStorage;
  /** Absent for all threads. */
  readonly threadId?: string | undefined;
}

/** What was measured by reading rows. */
export function MeasuredSection({ measured: { total, threads, channels }, threadId }: MeasuredSectionProps) {
  const saved = total.wholeBytes - total.uncompressedBytes;
  return (
    <>
      <p role="status">
        <strong>{formatBytes(allBytesOf(total))}</strong> in {countText(total.checkpoints, "checkpoint")},{" "}
        {countText(total.values, "value")} and {countText(total.writes, "pending write")}
        {threadId === undefined && <> of {countText(total.threads, "thread")}</>}.
        {total.splices > 0 && saved > 0 && (
          <>
            {" "}
            {countText(total.splices, "value")} are stored as splices; whole, the values would have{" "}
            {formatBytes(total.wholeBytes)} instead of {formatBytes(total.uncompressedBytes)}, before Postgres
            compresses them.
          </>
        )}
      </p>
      {threadId === undefined && (
        <PartsSection
          {...{ title: "The largest threads", noun: "Thread", parts: threads }}
          nameOf={(name) => (
            <a href={linkToThread({ threadId: name, namespace: "" })}>
              <bdi>{name}</bdi>
            </a>
          )}
          onChoose={(name) => {
            navigate(linkTo("storage", [], { thread: name }));
          }}
        />
      )}
      <PartsSection
        {...{ title: "The largest channels", noun: "Channel", parts: channels }}
        nameOf={(name) => <bdi>{name}</bdi>}
      />
    </>
  );
}

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
function PartsSection({ title, noun, parts, nameOf, onChoose }: PartsSectionProps) {
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
              <span class="dim">{formatBytes(allBytesOf(part))}</span>
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
        <Figures caption={title} columns={[noun, ...PART_COLUMNS]}>
          {parts.map((part) => (
            <tr key={part.name}>
              <th scope="row">
                <bdi>{part.name}</bdi>
              </th>
              <PartCells part={part} />
            </tr>
          ))}
        </Figures>
      </details>
    </section>
  );
}
