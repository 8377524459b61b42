import { useId, useState } from "preact/hooks";
import type { ChannelChange } from "../../../../api/checkpoints.js";
import { Failure } from "../../../parts/failure.js";
import { Loading } from "../../../parts/loading.js";
import { formatBytes, formatCount } from "../../../parts/number-texts.js";
import { useRead } from "../../../server/use-read.js";
import type { Compared } from "./compared.js";
import { PartChanges } from "./part-changes.js";

/** How many changes are read at first, and by each further step. */
const PAGE = 50;
/** The most changes that the server lists. */
const MAX = 500;

interface ChannelChangeProps {
  readonly compared: Compared;
  readonly change: ChannelChange;
  readonly isOpenAtFirst: boolean;
  /** Called when a person opens the channel. */
  readonly onOpen: () => void;
}

const MARKS = { added: "+", removed: "−", changed: "±", same: "=" } as const;

/** A channel that differs, which opens to its parts that differ. */
export function ChangedChannel({ compared, change: view, isOpenAtFirst, onOpen }: ChannelChangeProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const panel = useId();
  const { channel, change, beforeBytes, afterBytes } = view;
  return (
    <section class="changed-channel">
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? panel : undefined}
          onClick={() => {
            setOpen(!isOpen);
            if (!isOpen) onOpen();
          }}
        >
          <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
          <span class={`change-mark change-${change}`}>
            {MARKS[change]} {change}
          </span>
          <bdi class="mono">{channel}</bdi>
          <span class="dim">
            {formatBytes(beforeBytes)} → {formatBytes(afterBytes)}
          </span>
        </button>
      </h2>
      {isOpen && (
        <div id={panel}>
          <Parts compared={compared} channel={channel} />
        </div>
      )}
    </section>
  );
}

function Parts({ compared, channel }: { readonly compared: Compared; readonly channel: string }) {
  const [limit, setLimit] = useState(PAGE);
  const { data, error, refetch } = useRead("compareChannel", { ...compared, channel, limit });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the changes" />;
  if (data.changes.length === 0) return <p class="dim">The versions differ, and the values are equal.</p>;
  return (
    <>
      <PartChanges {...{ compared, channel }} changes={data.changes} />
      {data.omitted > 0 && limit < MAX && (
        <button
          type="button"
          onClick={() => {
            setLimit(Math.min(MAX, limit + PAGE));
          }}
        >
          Show more changes ({formatCount(data.omitted)} left)
        </button>
      )}
    </>
  );
}
