import { useState } from "preact/hooks";
import type { ThreadRow } from "../../../api/threads.js";
import { countText, formatCount } from "../../parts/number-texts.js";
import { lazyPart } from "../../parts/read-state.js";
import { useOverview } from "../../server/overview-context.js";
import type { ManyAction } from "./many-work.js";
import type { ThreadSelection } from "./use-thread-selection.js";
import "./many-threads.css";

const ManyDialog = lazyPart(
  "many threads",
  "the action",
  async () => (await import("./many-dialog.js")).ManyDialog,
);

/** Offers what can be done with the selected threads, to those who may. */
export function ManyThreads({ selection: { threads, clear } }: { readonly selection: ThreadSelection }) {
  const { may } = useOverview();
  // The list goes on changing meanwhile.
  const [asked, ask] = useState<{ readonly action: ManyAction; readonly threads: readonly ThreadRow[] }>();
  const [failed, unfinished] = (["failed", "pending"] as const).map((state) =>
    threads.filter(({ status }) => status === state),
  );
  const choices = [
    ["retry", "Retry failed", may.continue, failed],
    ["continue", "Continue unfinished", may.continue, unfinished],
    ["export", "Export", true, threads],
    ["delete", "Delete", may.delete, threads],
  ] as const;
  return (
    <>
      {threads.length > 0 && (
        <section class="threads-selected" aria-label="Selected threads">
          <span role="status">{countText(threads.length, "thread")} selected</span>
          {choices.map(
            ([action, label, isAllowed, meant = []]) =>
              isAllowed &&
              meant.length > 0 && (
                <button
                  key={action}
                  type="button"
                  aria-haspopup="dialog"
                  onClick={() => {
                    ask({ action, threads: meant });
                  }}
                >
                  {label} ({formatCount(meant.length)})…
                </button>
              ),
          )}
          <button type="button" class="quiet" onClick={clear}>
            Clear
          </button>
        </section>
      )}
      {asked !== undefined && (
        <ManyDialog
          {...asked}
          onClose={() => {
            ask(undefined);
          }}
        />
      )}
    </>
  );
}
