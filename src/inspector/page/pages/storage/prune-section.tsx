import { useState } from "preact/hooks";
import { describeDeleted, pruneRuleOf } from "../../parts/actions/prune-rule.js";
import { PruneAction } from "../../parts/actions/prune-action.js";
import { TextField } from "../../parts/actions/text-field.js";
import { Failure } from "../../parts/failure.js";
import { useSlowRead } from "../../server/use-slow-read.js";

/** Shows what a prune would free. */
export function PruneSection({ threadId }: { readonly threadId: string | undefined }) {
  const [keepLast, setKeepLast] = useState("10");
  const [days, setDays] = useState("");
  const rule = pruneRuleOf(threadId, keepLast, days);
  const { data, error, isReading, start, cancel } = useSlowRead("checkPrune", rule ?? {});
  return (
    <section>
      <h2>What a prune would free</h2>
      <form
        class="prune-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (rule !== undefined && !isReading) start();
        }}
      >
        <TextField
          type="number"
          label="Checkpoints to keep of each namespace"
          value={keepLast}
          onChange={setKeepLast}
        />
        <TextField
          type="number"
          label="Keep checkpoints younger than, in days"
          value={days}
          onChange={setDays}
        />
        <div class="buttons">
          <button disabled={rule === undefined || isReading}>Show what it would free</button>
          {isReading && (
            <button type="button" onClick={cancel}>
              Cancel
            </button>
          )}
          <PruneAction threadId={threadId} />
        </div>
      </form>
      <p role="status">
        {isReading && "Checking…"}
        {!isReading && data !== undefined && <>It would delete {describeDeleted(data)}.</>}
      </p>
      {error !== null && <Failure error={error} />}
    </section>
  );
}
