import type { ValuePlace } from "../../../api/places.js";
import { CopyButton } from "../copy-button.js";
import { LongText } from "../long-text/long-text.js";
import { downloadAddress } from "../download-address.js";
import { DownloadLink } from "../download-link.js";
import { counted, formatBytes } from "../number-texts.js";
import type { ValueItem } from "./value-items.js";
import { describeType } from "./path-text.js";

interface ValueDetailsProps {
  readonly place: ValuePlace;
  readonly item: ValueItem | undefined;
}

/** Shows the chosen part of a value in full. */
export function ValueDetails({ place, item }: ValueDetailsProps) {
  if (item === undefined) return <p class="dim value-details">Choose a value to see it in full.</p>;
  const { value, path } = item;
  const args = JSON.stringify({ place, path });
  return (
    <section class="value-details" aria-label="Chosen value">
      <p class="value-place">
        <bdi class="mono">{item.place}</bdi> <span class="value-type">{describeType(value)}</span>{" "}
        <span class="dim">{sizeOf(item)}</span>
      </p>
      <div class="value-actions">
        <CopyButton text={item.place}>Copy path</CopyButton>
        {value.type === "bytes" && (
          <DownloadLink address={downloadAddress({ place, path })}>
            Download {formatBytes(value.size)}
          </DownloadLink>
        )}
      </div>
      <LongText key={args} place={place} path={path} value={value} canCopy />
    </section>
  );
}

function sizeOf({ value }: ValueItem): string {
  return value.type === "string" ? counted(value.size, "character") : "";
}
