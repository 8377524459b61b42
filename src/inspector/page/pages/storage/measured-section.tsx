import type { MeasuredStorage } from "../../../api/storage-views.js";
import { counted, formatBytes } from "../../parts/number-texts.js";
import { linkTo, linkToThread } from "../../routes/route.js";
import { navigate } from "../../routes/use-route.js";
import { PartsSection } from "./parts-section.js";
import { bytesOf } from "../../parts/charts/part-bytes.js";

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
        <strong>{formatBytes(bytesOf(total))}</strong> in {counted(total.checkpoints, "checkpoint")},{" "}
        {counted(total.values, "value")} and {counted(total.writes, "pending write")}
        {threadId === undefined && <> of {counted(total.threads, "thread")}</>}.
        {total.splices > 0 && saved > 0 && (
          <>
            {" "}
            {counted(total.splices, "value")} are stored as splices; whole, the values would have{" "}
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
